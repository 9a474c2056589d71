import { z } from 'zod';
import type { ToolPlan } from '../tool.js';
import { answer, defineTool, failure } from './define-tool.js';
import { inspectFile } from './inspect-file.js';
import { decode } from './output-text.js';
import { pathParameter } from './session.js';

const DEFAULT_LINES = 500;
const MAX_LINES = 2_000;
const MAX_LINE_CHARS = 2_000;
/** Raw bytes fetched, and characters answered: less than a result may hold, so that it is never cut in the middle. */
const FETCH_BYTES = 256_000;
const ANSWER_CHARS = 14_000;

export const readFile = defineTool({
  name: 'read_file',
  description:
    'Reads a text file, with line numbers. Long files come in parts: read on with the offset that the answer names.',
  parameters: z.object({
    path: pathParameter.describe('File, absolute or from the working directory'),
    offset: z.int().min(1).default(1).describe('First line, counted from 1'),
    limit: z.int().min(1).max(MAX_LINES).default(DEFAULT_LINES).describe('Lines at most'),
  }),
  async plan({ path, offset, limit }, context): Promise<ToolPlan> {
    const read = `tail -n +${offset} "$p" | head -n ${limit} | head -c ${FETCH_BYTES}`;
    const found = await inspectFile(context, path, read, FETCH_BYTES);
    if (found.kind !== 'file') return failure(found.message);
    if (found.content.includes(0))
      return failure(
        `${path} is a binary file of ${found.sizeBytes} bytes. Look at it with the terminal, for example: file, od -c, strings.`,
      );
    if (found.sizeBytes === 0) return answer(`[${path} is empty]`);
    if (found.content.length === 0)
      return failure(`${path} has ${found.lines ?? 'fewer'} lines; there is no line ${offset}.`);
    return answer(numbered(found.content, offset, found.lines));
  },
});

/** As many whole lines as the answer may hold, and where to read on. */
function numbered(content: Buffer, offset: number, total: number | null): string {
  const text = decode(content);
  const lines = text.replace(/\n$/, '').split('\n');
  const cutInside = content.length >= FETCH_BYTES && !text.endsWith('\n');
  const shown: string[] = [];
  let chars = 0;
  for (const [index, line] of lines.entries()) {
    const whole = `${String(offset + index).padStart(6)}\t${shorten(line, cutInside && index === lines.length - 1)}`;
    if (shown.length > 0 && chars + whole.length > ANSWER_CHARS) break;
    chars += whole.length + 1;
    shown.push(whole);
  }
  const last = offset + shown.length - 1;
  const more = shown.length < lines.length || (total === null ? cutInside : last < total);
  if (!more && offset === 1) return shown.join('\n');
  const of = total === null ? '' : ` of ${total}`;
  return `${shown.join('\n')}\n[lines ${offset}-${last}${of}${more ? `; read on with offset ${last + 1}` : ''}]`;
}

function shorten(line: string, goesOn: boolean): string {
  if (line.length <= MAX_LINE_CHARS && !goesOn) return line;
  const rest = line.length - MAX_LINE_CHARS;
  const kept = line.slice(0, MAX_LINE_CHARS).replace(/[\ud800-\udbff]$/, '');
  return `${kept}[… the line goes on for ${goesOn ? 'more than ' : ''}${Math.max(0, rest)} characters: cut -c shows more …]`;
}
