import type { CliIo } from '../../../src/cli/cli-io.js';
import { runCli } from '../../../src/cli/run-cli.js';

export interface CliAnswer {
  code: number;
  stdout: string;
  stderr: string;
  json: () => ReturnType<typeof JSON.parse>;
}

/** Nothing of the developer's own settings or cluster reaches a test. */
export function cleanEnv(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(LONGRUN_|TEMPORAL_|OPENAI_|NO_COLOR|FORCE_COLOR)/.test(name),
  );
  return { ...Object.fromEntries(own), LONGRUN_HOME: '/nonexistent/longrun', ...extra };
}

/** Runs one command line in this process, as from a pipe: no terminal, no colour; `columns` gives it a width. */
export async function longrun(
  argv: readonly string[],
  env: NodeJS.ProcessEnv = {},
  columns?: number,
): Promise<CliAnswer> {
  const written = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') => ({
    write: (text: string | Uint8Array) => {
      written[name] += text;
      return true;
    },
  });
  const io: CliIo = {
    stdout: { ...sink('stdout'), ...(columns === undefined ? {} : { columns }) },
    stderr: sink('stderr'),
    stdin: {},
    env: cleanEnv(env),
    now: Date.now,
    exitCode: 0,
  };
  const code = await runCli(argv, io);
  return { code, ...written, json: () => JSON.parse(written.stdout) };
}
