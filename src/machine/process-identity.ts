import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { LongrunError } from '../core/errors.js';

/** A process beyond the reuse of its pid. `startedAt` is opaque: the kernel's tick count, or what `ps` prints. */
export interface ProcessIdentity {
  pid: number;
  startedAt: string;
}

/** Null when there is no such process, or when it has ended and only waits for its parent (a zombie). */
export function identifyProcess(pid: number): ProcessIdentity | null {
  const startedAt = process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid);
  return startedAt === null ? null : { pid, startedAt };
}

/** The process that is running this code. */
export function ownIdentity(): ProcessIdentity {
  const identity = identifyProcess(process.pid);
  if (identity === null) throw new Error(`process ${process.pid} cannot find itself`);
  return identity;
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startedAt === identity.startedAt;
}

/** Sends a signal to this very process; one that has ended meanwhile needs none. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(identity.pid, signal);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ESRCH') return;
    throw new LongrunError('internal', `Process ${identity.pid} cannot be sent ${signal}: ${String(cause)}`, {
      hint: 'It may belong to another user: end it as that one.',
      cause,
    });
  }
}

function startOnLinux(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The command name stands in parentheses and may hold spaces: count fields from the last one (proc(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  if (state === 'Z' || state === 'X') return null;
  // Ticks count from boot: without the boot's id a lock could survive a restart of the machine.
  return `${bootId()}:${fields[19]}`;
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'boot';
  }
}

function startByPs(pid: number): string | null {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const [state = '', ...started] = line.split(/\s+/);
    return line === '' || state.startsWith('Z') ? null : started.join(' ');
  } catch {
    return null;
  }
}
