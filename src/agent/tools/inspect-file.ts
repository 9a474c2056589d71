import type { ToolContext } from '../tool.js';
import { decode, outputBytes, outputText } from './output-text.js';
import { enterSession, setPath, startFolder } from './session.js';

const INSPECT_TIMEOUT_MS = 30_000;
const LISTED_ENTRIES = 100;
/** Counting the lines of larger files takes longer than it is worth. */
const COUNT_LINES_BYTES = 64_000_000;
const OVERHEAD_BYTES = 20_000;

export type InspectedFile =
  | { kind: 'file'; sizeBytes: number; lines: number | null; content: Buffer }
  | { kind: 'missing' | 'other'; message: string };

/** Looks at a path and, where it is a readable regular file, runs `read` on it (as `"$p"`). */
export async function inspectFile(
  context: ToolContext,
  path: string,
  read: string,
  limitBytes: number,
): Promise<InspectedFile> {
  const script = `${enterSession(context)}${setPath(path)}${LOOK}${read}\n`;
  const result = await context.inspect(script, {
    ...startFolder(context),
    timeoutMs: Math.min(INSPECT_TIMEOUT_MS, context.remainingMs),
    outputLimitBytes: 2 * (limitBytes + OVERHEAD_BYTES),
  });
  const output = outputBytes(result.output);
  const end = output.indexOf(0x0a);
  const [kind, size, lines] = decode(output.subarray(0, Math.max(0, end))).split(' ');
  const rest = output.subarray(end + 1);
  if (kind === 'file' && result.exitCode === 0) {
    const content = Buffer.from(rest);
    return { kind, sizeBytes: Number(size), lines: lineCount(lines, content, Number(size)), content };
  }
  if (kind === 'missing') return { kind, message: `${path}: no such file.${nearby(decode(rest))}` };
  if (kind === 'directory')
    return { kind: 'other', message: `${path} is a directory.${entries(decode(rest))}` };
  if (kind === 'special') return { kind: 'other', message: `${path} is not a regular file; it is not read.` };
  if (kind === 'unreadable') return { kind: 'other', message: `${path}: permission denied.` };
  const reason = result.timedOut ? 'it took too long' : outputText(result.output).slice(0, 500);
  return { kind: 'other', message: `${path} could not be read: ${reason}` };
}

/** The first line says what the path is; entries or content follow. */
const LOOK = `if [ -d "$p" ]; then echo directory; ls -A "$p" 2>&1 | head -n ${LISTED_ENTRIES + 1}; exit 0; fi
if [ ! -e "$p" ]; then
echo missing
case "$p" in */*) d=\${p%/*}; [ -n "$d" ] || d=/;; *) d=.;; esac
if [ -d "$d" ]; then ls -A "$d" 2>/dev/null | head -n ${LISTED_ENTRIES}; fi
exit 0
fi
if [ ! -f "$p" ]; then echo special; exit 0; fi
if [ ! -r "$p" ]; then echo unreadable; exit 0; fi
size=$(wc -c < "$p"); lines=-
if [ "$size" -le ${COUNT_LINES_BYTES} ]; then lines=$(wc -l < "$p"); fi
echo file $size $lines
`;

/** `wc` counts line ends; a last line without one is a line too, which shows when the whole file was read. */
function lineCount(counted: string | undefined, content: Buffer, size: number): number | null {
  if (counted === undefined || counted === '-') return null;
  const open = content.length === size && size > 0 && content.at(-1) !== 0x0a;
  return Number(counted) + (open ? 1 : 0);
}

function nearby(listing: string): string {
  const names = listing.split('\n').filter(Boolean);
  if (names.length === 0) return '';
  return ` Beside it there are: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`;
}

function entries(listing: string): string {
  const names = listing.split('\n').filter(Boolean);
  if (names.length === 0) return ' It is empty.';
  const more = names.length > LISTED_ENTRIES ? '\n…' : '';
  return ` It holds:\n${names.slice(0, LISTED_ENTRIES).join('\n')}${more}`;
}
