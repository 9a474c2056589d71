import { readdirSync, readFileSync } from 'node:fs';
import { identifyProcess, isAlive, type ProcessIdentity } from '../../../src/machine/process-identity.js';

/** A process that a worker started, by pid and start time. */
export interface ProcessMark extends ProcessIdentity {
  command: string;
}

/** Living children of a process and theirs. */
export function childrenOf(pid: number): ProcessMark[] {
  const parents = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(Number(name));
    if (parent !== null) parents.set(parent, [...(parents.get(parent) ?? []), Number(name)]);
  }
  const found: ProcessMark[] = [];
  for (const queue = [pid]; queue.length > 0; ) {
    for (const child of parents.get(queue.shift() as number) ?? []) {
      queue.push(child);
      const identity = identifyProcess(child);
      if (identity !== null) found.push({ ...identity, command: commandOf(child) });
    }
  }
  // The server is shared by everybody on the state folder: it may well outlive who started it.
  return found.filter(({ command }) => !command.includes('start-dev'));
}

export function livingOf(marks: readonly ProcessMark[]): string[] {
  return marks.filter((mark) => isAlive(mark)).map(({ pid, command }) => `${pid} ${command}`);
}

function parentOf(pid: number): number | null {
  try {
    // The name in parentheses may hold anything; the fields after it do not.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[1]);
  } catch {
    return null;
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, 4).join(' ');
  } catch {
    return '';
  }
}
