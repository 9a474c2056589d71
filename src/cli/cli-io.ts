import type { ReadStream, WriteStream } from 'node:tty';

/** What a command may touch of its process: injected, so that tests own it. */
export interface CliIo {
  readonly stdout: Pick<WriteStream, 'write'> & Partial<WriteStream>;
  readonly stderr: Pick<WriteStream, 'write'> & Partial<WriteStream>;
  readonly stdin: Partial<ReadStream>;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => number;
  /** What the process exits with when the command returns: 0 unless a command says otherwise. */
  exitCode: number;
}

export const EXIT = { done: 0, error: 1, usage: 2, belowThreshold: 3, interrupted: 130 } as const;

export function processIo(): CliIo {
  const { stdout, stderr, stdin, env } = process;
  return { stdout, stderr, stdin, env, now: Date.now, exitCode: EXIT.done };
}

/** Colour for a person's terminal; NO_COLOR and FORCE_COLOR as everywhere. */
export function wantsColour(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return stream.isTTY === true && env.TERM !== 'dumb';
}
