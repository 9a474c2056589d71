import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export interface Child {
  process: ChildProcess;
  pid: number;
  /** The next line of its standard output; rejects when it ends before. */
  line(): Promise<string>;
  /** Resolves with its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** Runs a TypeScript file in a process of its own; what is left of it is killed when the test ends. */
export function startChild(file: URL, args: string[], env: Record<string, string> = {}): Child {
  const child = spawnChild(file, args, env);
  onTestFinished(() => child.kill());
  return child;
}

/** The same outside of a test: whoever starts it kills it. */
export function spawnChild(file: URL, args: string[], env: Record<string, string> = {}): Child {
  const child = spawn(process.execPath, ['--import', 'tsx', fileURLToPath(file), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  return asChild(child, file.pathname);
}

/** A process that was started with its standard output as a pipe. */
export function asChild(child: ChildProcessByStdio<null, Readable, null>, name: string): Child {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? signal ?? -1));
  });
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal);
    await ended;
  };
  return {
    process: child,
    pid: child.pid as number,
    ended,
    kill,
    line: async () => {
      const next = await lines.next();
      if (next.done) throw new Error(`${name} ended with ${await ended} instead of printing a line`);
      return next.value;
    },
  };
}
