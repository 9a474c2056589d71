import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const TAIL_CHARS = 4_000;

/** Runs a program without a shell and without input; answers its exit code and the end of what it said. */
export async function run(program, args, { env = {}, cwd = undefined, timeoutMs = undefined } = {}) {
  return await new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    let output = '';
    const keep = (chunk) => {
      output = (output + chunk).slice(-TAIL_CHARS);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => resolve({ ok: false, output: error.message }));
    child.once('close', (code) => resolve({ ok: code === 0, output: output.trim() }));
  });
}

/** Where a program is, or null. `more` are folders that are searched after PATH. */
export function which(program, more = []) {
  for (const folder of [...(process.env.PATH ?? '').split(delimiter), ...more]) {
    const path = join(folder, program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not here.
    }
  }
  return null;
}

/** The last lines of what a program said, for an error message. */
export function lastLines(output, count = 6) {
  return output.split('\n').slice(-count).join('\n');
}
