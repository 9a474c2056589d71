import { z } from 'zod';
import type { ToolPlan } from '../tool.js';
import { defineTool, failure } from './define-tool.js';
import { inspectFile } from './inspect-file.js';
import { nearMatches, surroundings } from './nearby-lines.js';
import { pathParameter } from './session.js';
import { finishWrite, writeWholeFile } from './write-whole-file.js';

const MAX_BYTES = 2_000_000;
const LISTED_MATCHES = 10;

export const patch = defineTool({
  name: 'patch',
  description:
    'Replaces one piece of text in a file. old_string must occur exactly once, spaces and line ends included: take in enough lines around it to make it unique.',
  parameters: z.object({
    path: pathParameter.describe('File, absolute or from the working directory'),
    old_string: z.string().min(1).describe('Text to replace, exactly as it stands in the file'),
    new_string: z.string().describe('Text to put in its place; empty to delete'),
  }),
  async plan({ path, old_string, new_string }, context): Promise<ToolPlan> {
    if (old_string === new_string)
      return failure('old_string and new_string are the same: nothing to change.');
    const found = await inspectFile(context, path, `head -c ${MAX_BYTES + 1} "$p"`, MAX_BYTES + 1);
    if (found.kind !== 'file') return failure(found.message);
    if (found.sizeBytes > MAX_BYTES)
      return failure(
        `${path} has ${found.sizeBytes} bytes, too many for patch. Use the terminal, for example sed.`,
      );
    // Bytes, not characters: what is not valid UTF-8 elsewhere in the file has to survive.
    const old = Buffer.from(old_string);
    const matches = occurrences(found.content, old);
    if (matches.length !== 1) return failure(notUnique(path, found.content, old_string, matches));
    const at = matches[0] as number;
    const fresh = Buffer.from(new_string);
    const content = Buffer.concat([
      found.content.subarray(0, at),
      fresh,
      found.content.subarray(at + old.length),
    ]);
    const message = `Patched ${path} at line ${lineAt(found.content, at)}. It reads now:\n${surroundings(content, at, fresh.length)}`;
    return writeWholeFile(context, path, content, { created: message, replaced: message });
  },
  finish: finishWrite,
});

/** Byte positions of all occurrences, overlapping ones too: either could be meant. */
function occurrences(content: Buffer, text: Buffer): number[] {
  const found: number[] = [];
  for (let at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + 1)) found.push(at);
  return found;
}

function lineAt(content: Buffer, at: number): number {
  let line = 1;
  for (let end = content.indexOf(10); end >= 0 && end < at; end = content.indexOf(10, end + 1)) line += 1;
  return line;
}

function notUnique(path: string, content: Buffer, old: string, matches: number[]): string {
  if (matches.length > 0) {
    const lines = matches.slice(0, LISTED_MATCHES).map((at) => lineAt(content, at));
    const more = matches.length > LISTED_MATCHES ? ', …' : '';
    return `old_string occurs ${matches.length} times in ${path} (lines ${lines.join(', ')}${more}). Nothing was changed. Take in more lines around the one you mean.`;
  }
  const crlf = content.includes('\r\n') && old.includes('\n') && !old.includes('\r\n');
  const ends = crlf ? ' Its lines end in CRLF (\\r\\n), those of old_string in \\n.' : '';
  return `old_string does not occur in ${path}. Nothing was changed.${ends}${nearMatches(content, old)}`;
}
