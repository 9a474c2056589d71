import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { until } from '../../support/until.js';

const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

export interface LongrunCommand {
  process: ChildProcess;
  output: { stdout: string; stderr: string };
  /** Waits until its standard error holds this. */
  says(text: string): Promise<void>;
  ended: Promise<number | NodeJS.Signals>;
}

/** The command line as an operator has it, on one state folder. Whoever starts it ends it. */
export function startLongrun(stateDir: string, ...argv: string[]): LongrunCommand {
  const own = Object.entries(process.env).filter(([name]) => !/^(LONGRUN_|TEMPORAL_|OPENAI_)/.test(name));
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, ...argv, '--state-dir', stateDir], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: Object.fromEntries(own),
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (data) => {
    output.stdout += data;
  });
  child.stderr.on('data', (data) => {
    output.stderr += data;
  });
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? -1));
  });
  const says = (text: string) =>
    until(
      () => {
        if (child.exitCode !== null) throw new Error(`longrun ${argv.join(' ')} ended: ${output.stderr}`);
        return output.stderr.includes(text);
      },
      { what: `longrun ${argv.join(' ')} says ${text}` },
    );
  return { process: child, output, says, ended };
}

/** Runs a command to its end and answers its JSON. */
export async function longrunJson(stateDir: string, ...argv: string[]): Promise<unknown> {
  const command = startLongrun(stateDir, ...argv, '--json');
  const code = await command.ended;
  if (code !== 0) throw new Error(`longrun ${argv.join(' ')} ended with ${code}: ${command.output.stderr}`);
  return JSON.parse(command.output.stdout);
}
