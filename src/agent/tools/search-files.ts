import { z } from 'zod';
import { posixQuote } from '../../core/text/posix-quote.js';
import { shell } from '../../core/text/shell.js';
import type { ToolPlan } from '../tool.js';
import { answer, defineTool, failure } from './define-tool.js';
import { outputText } from './output-text.js';
import { enterSession, pathParameter, setPath, startFolder } from './session.js';

const SEARCH_TIMEOUT_MS = 60_000;
const OUTPUT_LIMIT_BYTES = 400_000;
const MAX_LINE_CHARS = 300;
const MAX_ANSWER_CHARS = 12_000;
const DEFAULT_MATCHES = 100;
/** Where a search would go on for ever or find noise only. */
const LEFT_OUT = '\\( -name .git -o -path /proc -o -path /sys -o -path /dev \\) -prune -o';

const withoutNul = z
  .string()
  .min(1)
  .max(10_000)
  .refine((text) => !text.includes('\0'), 'holds a NUL character');

export const searchFiles = defineTool({
  name: 'search_files',
  description:
    'Searches below a folder: for lines that match an extended regular expression (target content), or for files by name (target name; * and ? allowed).',
  parameters: z.object({
    pattern: withoutNul.describe('Extended regular expression, or part of a file name'),
    target: z.enum(['content', 'name']).default('content'),
    path: pathParameter.default('.').describe('Folder or file to search'),
    file_glob: withoutNul.optional().describe('Only in files whose name matches, for example *.py'),
    limit: z.int().min(1).max(1_000).default(DEFAULT_MATCHES).describe('Matches at most'),
  }),
  async plan(args, context): Promise<ToolPlan> {
    const search = args.target === 'name' ? byName(args.pattern) : byContent(args.pattern, args.file_glob);
    const script = `${enterSession(context)}${setPath(args.path)}if [ ! -e "$p" ]; then echo missing; exit 3; fi\n${search} | head -n ${args.limit + 1}\n`;
    const result = await context.inspect(script, {
      ...startFolder(context),
      timeoutMs: Math.min(SEARCH_TIMEOUT_MS, context.remainingMs),
      outputLimitBytes: OUTPUT_LIMIT_BYTES,
    });
    const text = outputText(result.output);
    if (result.exitCode === 3) return failure(`${args.path}: no such file or directory.`);
    if (result.exitCode === 4) return failure(`The regular expression is not valid: ${text.trim()}`);
    if (result.timedOut && text === '') return failure('The search took too long. Search a smaller folder.');
    return answer(listing(text, args.limit, result.timedOut));
  },
});

function byName(pattern: string): string {
  const glob = /[*?[]/.test(pattern) ? pattern : `*${pattern}*`;
  return shell`find "$p" ${LEFT_OUT} -name ${posixQuote(glob)} -print 2>/dev/null | LC_ALL=C sort`;
}

/** `/dev/null` as another file makes every grep print file names. */
function byContent(pattern: string, glob: string | undefined): string {
  const expression = posixQuote(pattern);
  const named = glob === undefined ? '' : ` -name ${posixQuote(glob)}`;
  return shell`e=$(echo | grep -E -e ${expression} 2>&1 >/dev/null); if [ $? -gt 1 ]; then echo "$e"; exit 4; fi
find "$p" ${LEFT_OUT} -type f${named} -exec grep -nE -e ${expression} /dev/null {} + 2>/dev/null`;
}

function listing(text: string, limit: number, timedOut: boolean): string {
  const found = text.split('\n').filter((line) => line !== '');
  if (found.length === 0) return 'No matches.';
  const shown: string[] = [];
  let chars = 0;
  for (const line of found.slice(0, limit)) {
    const clear = line.replace(/^\.\//, '').replace(/(?!\t)\p{Cc}/gu, '\ufffd');
    const short = clear.length > MAX_LINE_CHARS ? `${clear.slice(0, MAX_LINE_CHARS)} …` : clear;
    chars += short.length + 1;
    if (chars > MAX_ANSWER_CHARS) break;
    shown.push(short);
  }
  const more =
    shown.length < found.length ? `\n[only the first ${shown.length} matches: narrow the search]` : '';
  return `${shown.join('\n')}${more}${timedOut ? '\n[the search ran out of time: there may be more]' : ''}`;
}
