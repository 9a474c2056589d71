import { readFileSync } from 'node:fs';

/** Linux counts processor time for programs in hundredths of a second, whatever the kernel's own clock is. */
const TICK_MS = 10;

/** Processor time that a process has used, user and system, in ms. */
export function cpuMsOf(pid: number): number {
  // The name in parentheses may hold anything; the fields after it do not.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Memory that a process holds now, in bytes. */
export function residentBytesOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** The most memory that a process ever held, in bytes; null when it has ended. */
export function peakResidentBytesOf(pid: number): number | null {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}
