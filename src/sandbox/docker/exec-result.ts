import type { ExecEnd, ExecReport } from '../exec-report.js';
import { NOT_BEGUN } from '../exec-script.js';
import { OutputBuffer } from '../output-buffer.js';
import type { BoundedOutput, ExecResult } from '../sandbox.js';

const NOTHING: BoundedOutput = { head: new Uint8Array(), tail: new Uint8Array(), omittedBytes: 0 };

const base = {
  exitCode: null,
  output: NOTHING,
  timedOut: false,
  killed: false,
  outcomeUnknown: false,
  durationMs: 0,
} satisfies ExecResult;

/** It ran to its end. The engine's exit code counts; the copy beside the spool stands in for it. */
export function endedResult(end: ExecEnd, output: BoundedOutput, engineCode: number | null): ExecResult {
  const result = { ...base, exitCode: engineCode ?? end.status, output, durationMs: end.durationMs };
  const forged = engineCode !== null && engineCode !== end.status;
  if (forged)
    return withWords(result, `its end was written down as ${end.status}, and the engine says ${engineCode}`);
  return end.spoolRemoved ? withWords(result, 'its output was removed before it had ended') : result;
}

/** Whoever reads the result is told what was done to the traces of a command from inside the sandbox. */
function withWords(result: ExecResult, words: string): ExecResult {
  return endingWith(result, `\n[longrun: the traces of this command were changed from inside: ${words}]\n`);
}

function endingWith(result: ExecResult, text: string): ExecResult {
  const words = Buffer.from(text);
  const { head, tail, omittedBytes } = result.output;
  const output =
    omittedBytes === 0
      ? { head: Buffer.concat([head, words]), tail, omittedBytes }
      : { head, tail: Buffer.concat([tail, words]), omittedBytes };
  return { ...result, output };
}

/**
 * What the engine books for a command as soon as it cannot write to a reader that is gone, even
 * while the command runs on (20.10, measured): no word about the command.
 */
const BROKEN_STREAM = 126;

/** The sandbox exceeded its limit of disk while the command ran: its output ends with words about that. */
export function diskLimitedResult(result: ExecResult, limitBytes: number): ExecResult {
  const limit = `${Math.round(limitBytes / 2 ** 20)} MB of disk`;
  return endingWith(result, `\nEvery process of the sandbox was ended: it holds more than its ${limit}.\n`);
}

/** It could not be begun inside the sandbox, for reasons that lie inside it. */
export function notBegunResult(words: string): ExecResult {
  const output = new OutputBuffer(4096);
  output.push(Buffer.from(`${words}\n`));
  return { ...base, exitCode: NOT_BEGUN, output: output.result() };
}

/** It has ended and its stream is gone: what the spool and the engine still know. */
export function reportedResult(report: ExecReport | null, booked: number | null): ExecResult {
  const engineCode = booked === BROKEN_STREAM ? null : booked;
  if (report?.notRun) return notBegunResult('not run: its input did not arrive whole, or does not fit');
  if (report?.end) return endedResult(report.end, report.output, engineCode);
  const seen = { ...base, output: report?.output ?? NOTHING, durationMs: report?.elapsedMs ?? 0 };
  if (report?.killReason === 'timeout') return { ...seen, timedOut: true };
  if (report?.killReason === 'request') return { ...seen, killed: true };
  return { ...seen, exitCode: engineCode, outcomeUnknown: engineCode === null };
}
