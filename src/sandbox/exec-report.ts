import { LONGEST_TIMER_MS } from '../core/time.js';
import { OutputBuffer } from './output-buffer.js';
import type { BoundedOutput, ExecRequest } from './sandbox.js';

/** How a command ended, by the copy of its status beside the spool. */
export interface ExecEnd {
  status: number;
  /** Of the whole output, delivered or not. */
  totalBytes: number;
  durationMs: number;
  /** Its spool was removed from inside while it ran. */
  spoolRemoved: boolean;
}

/** What the spool knows of a command. */
export interface ExecReport {
  /** Milliseconds since its start; null when it left no trace. */
  elapsedMs: number | null;
  killReason: KillReason | null;
  /** Its process is there and has not ended. */
  alive: boolean;
  /** Null while it runs and when it was killed. */
  end: ExecEnd | null;
  /** Its input did not arrive whole: it was not run. */
  notRun: boolean;
  output: BoundedOutput;
}

export type KillReason = 'timeout' | 'request';

/** Bytes of head and tail that a command's output is cut to. */
export function outputHalves(limitBytes: number): { head: number; tail: number } {
  return { head: Math.ceil(limitBytes / 2), tail: Math.floor(limitBytes / 2) };
}

const MAX_ARGUMENT_BYTES = 100_000;

/** A command's files: `<folder>/<token>.out` and others. */
export interface Spool {
  folder: string;
  token: string;
}

/** Arguments of the exec script for a command, and what must be written to its standard input. */
export function execArguments(
  { folder, token }: Spool,
  request: ExecRequest,
  cwd: string,
): { args: string[]; stdin: Uint8Array | null } {
  const { head, tail } = outputHalves(request.outputLimitBytes);
  const script = Buffer.from(request.script);
  const sent = script.length > MAX_ARGUMENT_BYTES ? script : Buffer.alloc(0);
  const input = request.stdin ?? new Uint8Array();
  const counts = [head, tail].map(String);
  const args = [folder, token, ...counts, cwd, String(sent.length), String(input.length)];
  const stdin = sent.length + input.length > 0 ? Buffer.concat([sent, input]) : null;
  return { args: [...args, sent.length > 0 ? '' : request.script], stdin };
}

/** What the attached stream of a command said: null where it was cut short before the end line. */
export function parseExecStream(
  stream: Buffer,
  limitBytes: number,
): { end: ExecEnd; output: BoundedOutput } | null {
  const [hello, afterHello] = splitLine(stream);
  if (hello === null || !hello.startsWith('longrun ')) return null;
  const [line, bytes] = splitLine(afterHello);
  const end = line?.startsWith('longrun-end ') ? parseEnd(line.slice('longrun-end '.length)) : null;
  return end === null ? null : { end, output: boundedBy(bytes, end.totalBytes, limitBytes) };
}

/** Pid of the command inside the sandbox once the stream has said that it runs; null before. */
export function parseHello(stream: Buffer): number | null {
  const match = /^longrun (\d+)\n/.exec(stream.subarray(0, 40).toString('latin1'));
  return match === null ? null : Number(match[1]);
}

/** Reads the answer of the report script; null when it is not one. */
export function parseReport(answer: Buffer, limitBytes: number): ExecReport | null {
  let [line, rest] = splitLine(answer);
  if (line !== 'longrun-read') return null;
  const report: ExecReport = {
    elapsedMs: null,
    killReason: null,
    alive: false,
    end: null,
    notRun: false,
    output: new OutputBuffer(0).result(),
  };
  for ([line, rest] = splitLine(rest); line !== null; [line, rest] = splitLine(rest)) {
    const value = line.slice(2);
    if (line.startsWith('P ')) report.elapsedMs = elapsed(value);
    else if (line.startsWith('K ')) report.killReason = value === 'timeout' ? 'timeout' : 'request';
    else if (line === 'A') report.alive = true;
    else if (line === 'E short') report.notRun = true;
    else if (line.startsWith('E ')) report.end = parseEnd(value);
    else if (line.startsWith('O ')) {
      report.output = boundedBy(rest, toCount(value), limitBytes);
      return report;
    }
  }
  return report;
}

function elapsed(value: string): number {
  const [, begin, now] = value.split(' ').map(Number);
  return secondsBetween(begin, now);
}

function parseEnd(value: string): ExecEnd | null {
  const [status, totalBytes, , begin, end] = value.split(' ').map(Number);
  if (status === undefined || !Number.isInteger(status) || totalBytes === undefined) return null;
  const spoolRemoved = value.endsWith(' removed');
  return {
    status,
    totalBytes: toCount(String(totalBytes)),
    durationMs: secondsBetween(begin, end),
    spoolRemoved,
  };
}

/** The sandbox itself wrote these numbers, so they may be anything. */
function secondsBetween(begin: number | undefined, end: number | undefined): number {
  const ms = Math.round(((end ?? 0) - (begin ?? 0)) * 1000);
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, LONGEST_TIMER_MS) : 0;
}

function toCount(value: string): number {
  const count = Number(value);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}

function boundedBy(bytes: Buffer, totalBytes: number, limitBytes: number): BoundedOutput {
  const { head } = outputHalves(limitBytes);
  const kept = bytes.subarray(0, limitBytes);
  const omittedBytes = Math.max(0, totalBytes - kept.length);
  if (omittedBytes === 0) return { head: kept, tail: new Uint8Array(), omittedBytes: 0 };
  return { head: kept.subarray(0, head), tail: kept.subarray(head), omittedBytes };
}

function splitLine(bytes: Buffer): [string | null, Buffer] {
  const end = bytes.indexOf(10);
  if (end < 0) return [null, bytes];
  return [bytes.subarray(0, end).toString('utf8'), bytes.subarray(end + 1)];
}
