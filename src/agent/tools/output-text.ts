import type { BoundedOutput, ExecResult } from '../../sandbox/sandbox.js';
import type { ToolAnswer } from '../tool.js';

/** What a command printed, as text for the model; says what was left out of the middle. */
export function outputText(output: BoundedOutput): string {
  if (output.omittedBytes === 0) return decode(Buffer.concat([output.head, output.tail]));
  const head = decode(trimEnd(output.head));
  const tail = decode(trimStart(output.tail));
  return `${head}\n[… ${output.omittedBytes} bytes left out …]\n${tail}`;
}

/** Bytes of an output that was read whole. */
export const outputBytes = (output: BoundedOutput): Buffer => Buffer.concat([output.head, output.tail]);

/** UTF-8 where it is, replacement characters where it is not. NUL shows as its picture: some stores and models refuse it. */
export function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('utf8')
    .replaceAll('\0', '\u2400');
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Without a character that was cut in two at the end. */
export function trimEnd(bytes: Uint8Array): Uint8Array {
  let start = bytes.length - 1;
  while (start >= 0 && bytes.length - start < 4 && isContinuation(bytes[start])) start -= 1;
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return length > bytes.length - start ? bytes.subarray(0, Math.max(0, start)) : bytes;
}

/** Without the rest of a character that was cut in two at the start. */
export function trimStart(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}

/** What to say of a command that did not end by itself; null when it did. */
export function interrupted(result: ExecResult): ToolAnswer | null {
  const text = outputText(result.output);
  const says = (line: string, error: string): ToolAnswer => ({
    content: text === '' ? line : `${text.replace(/\n$/, '')}\n${line}`,
    success: false,
    error,
  });
  const seconds = (result.durationMs / 1000).toFixed(1);
  if (result.outcomeUnknown)
    return says(
      '[outcome unknown: the sandbox lost track of this command. It may have run or not; look before you repeat it.]',
      'outcome_unknown',
    );
  if (result.timedOut)
    return says(`[timed out after ${seconds} s: the command and all it started were killed]`, 'timeout');
  if (result.killed) return says('[killed before it ended]', 'failed');
  return null;
}
