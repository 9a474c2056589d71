import type { CallFormat, ReadCalls, ReadContext, Source } from '../call-format.js';
import { escapedJson } from '../json/escaped-json.js';
import { readTokenSection } from './tokens/read-section.js';
import { sectionOpens, type TokenFormat, type TokenHeader } from './tokens/token-format.js';

/** The tokens as the tokenizer has them, and as they come out where its special characters were replaced. */
const SPELLINGS = [
  { bar: '｜', gap: '▁' },
  { bar: '｜', gap: '_' },
  { bar: '｜', gap: ' ' },
  { bar: '|', gap: '▁' },
].map(({ bar, gap }) => spelling(bar, gap));
const [NATIVE] = SPELLINGS as [Spelling];

interface Spelling extends TokenFormat {
  separator: string;
}

function spelling(bar: string, gap: string): Spelling {
  const token = (...words: string[]) => `<${bar}${words.join(gap)}${bar}>`;
  const separator = token('tool', 'sep');
  return {
    section: { open: token('tool', 'calls', 'begin'), close: token('tool', 'calls', 'end') },
    call: { open: token('tool', 'call', 'begin'), close: token('tool', 'call', 'end') },
    fenced: true,
    separator,
    readHeader: (text, at) => headerOf(text, at, separator),
  };
}

const WORD = /\s*([^\s<>{}`"]{1,200})\s*/y;
const NAME_ABOVE_JSON = /\s*([^\s<>{}`"]{1,200})\s*(?=```|\{|\n|<|$)/y;

/** `function<sep>NAME` and JSON in a fence (V3), or `NAME<sep>` and JSON (V3.1). */
function headerOf(text: string, at: number, separator: string): TokenHeader | null {
  const first = match(WORD, text, at);
  if (first === null) return null;
  const behind = text.startsWith(separator, first.end) ? first.end + separator.length : null;
  const below = behind === null ? null : match(NAME_ABOVE_JSON, text, behind);
  if (below !== null && first.word === 'function') return header(below.word, below.end);
  if (behind !== null) return header(first.word, behind);
  // Without the separator the JSON has to follow at once.
  return /[`{]/.test(text[first.end] ?? '') ? header(first.word, first.end) : null;
}

function header(name: string, end: number): TokenHeader {
  return { name, nativeId: null, renamed: null, end };
}

function match(pattern: RegExp, text: string, at: number): { word: string; end: number } | null {
  pattern.lastIndex = at;
  const word = pattern.exec(text)?.[1];
  return word === undefined ? null : { word, end: pattern.lastIndex };
}

function readDeepseek(source: Source, at: number, context: ReadContext): ReadCalls | null {
  const written = SPELLINGS.find(({ section, call }) =>
    [section.open, call.open].some((token) => source.text.startsWith(token, at)),
  );
  return written === undefined ? null : readTokenSection(source, written, at, context);
}

const MARKERS = SPELLINGS.flatMap((written) => [...sectionOpens(written), written.call.open]);
const MARKS = ['<｜', '```'];
const { section, call, separator } = NATIVE;

/** DeepSeek V3.1: the name, a separator, JSON. Reads V3 too: the two differ in what stands before the JSON, which says which it is. */
export const deepseekV31: CallFormat = {
  name: 'deepseek-v3.1',
  family: 'deepseek',
  markers: MARKERS,
  read: readDeepseek,
  render: (calls) =>
    inSection(calls.map((one) => `${one.name}${separator}${escapedJson(one.arguments, MARKS)}`)),
};

/** DeepSeek V3 and R1: the type, a separator, the name, and JSON in a code fence. */
export const deepseekV3: CallFormat = {
  ...deepseekV31,
  name: 'deepseek-v3',
  render: (calls) =>
    inSection(
      calls.map(
        (one) => `function${separator}${one.name}\n\`\`\`json\n${escapedJson(one.arguments, MARKS)}\n\`\`\``,
      ),
    ),
};

function inSection(bodies: readonly string[]): string {
  const calls = bodies.map((body) => `${call.open}${body}${call.close}`);
  return calls.length === 0 ? '' : `${section.open}${calls.join('')}${section.close}`;
}
