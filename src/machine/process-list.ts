import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gatherBounded } from '../store/map-bounded.js';

export interface CommandLine {
  pid: number;
  args: string[];
}

/** Every process of this machine that we may see, with its arguments (where there is no /proc: split at blanks). */
export async function listCommandLines(): Promise<CommandLine[]> {
  return process.platform === 'linux' ? await fromProc() : await fromPs();
}

async function fromProc(): Promise<CommandLine[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await gatherBounded(pids, async (pid) => {
    // A process may end between the listing and the reading.
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return { pid: Number(pid), args: text.split('\0').slice(0, -1) };
  });
  return lines.filter((line) => line.args.length > 0);
}

async function fromPs(): Promise<CommandLine[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,args='], { maxBuffer: 16 * 1024 * 1024 });
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((words) => words.length > 1)
    .map(([pid, ...args]) => ({ pid: Number(pid), args }));
}
