import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { stopServer } from '../../../src/temporal/embedded-server.js';
import { until } from '../../support/until.js';
import { cleanEnv } from './longrun.js';

/** By its own address: another working folder has no node_modules. */
const TSX = import.meta.resolve('tsx');
const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

export interface RunningCli {
  process: ChildProcess;
  output: { stdout: string; stderr: string };
  /** Waits until its standard error holds this. */
  says(text: string): Promise<void>;
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
}

/** longrun in a process of its own, as from another terminal; killed when the test ends, and the server of its state folder with it. */
export function startLongrun(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd = process.cwd(),
): RunningCli {
  const child = spawn(process.execPath, ['--import', TSX, MAIN, ...argv], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: cleanEnv(env),
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
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    if (env.LONGRUN_HOME) await stopServer(env.LONGRUN_HOME);
  });
  const says = (text: string): Promise<void> =>
    until(
      () => {
        if (child.exitCode !== null)
          throw new Error(`ended with ${child.exitCode} before it said "${text}":\n${output.stderr}`);
        return output.stderr.includes(text);
      },
      { what: `longrun ${argv.join(' ')} says ${text}` },
    );
  return { process: child, output, says, ended };
}
