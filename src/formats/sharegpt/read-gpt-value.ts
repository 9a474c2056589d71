import { isJsonObject, parseJson } from '../json-spacing.js';

/** A `gpt` turn, read back. */
export interface GptTurn {
  reasoning: string | null;
  content: string;
  /** `arguments` is JSON text. */
  calls: { name: string; arguments: string }[];
  /** Calls that were meant and cannot be read: their text stays in `content` too. */
  failures: string[];
}

const OPEN = '<think>\n';
const EMPTY = '<think>\n</think>';
const CLOSE = '\n</think>';

/**
 * Exactly what `gptValue` wrote: blocks of calls stand at the end, each on three lines, and JSON has no line feed
 * of its own. Null for a turn that was written otherwise.
 */
export function readGptValue(value: string): GptTurn | null {
  const thought = splitThought(value);
  if (thought === null) return null;
  const lines = thought.rest.split('\n');
  const calls: GptTurn['calls'] = [];
  while (lines.at(-1) === '</tool_call>' && lines.at(-3) === '<tool_call>') {
    const call = readCall(lines.at(-2) as string);
    if (call === null) return null;
    calls.unshift(call);
    lines.splice(-3);
  }
  const content = lines.join('\n');
  // Calls elsewhere than at the end are another tool's way.
  return /^[^\S\n\r\u2028\u2029]*<tool_call>/m.test(content)
    ? null
    : { reasoning: thought.reasoning, content, calls, failures: [] };
}

function splitThought(value: string): { reasoning: string | null; rest: string } | null {
  if (value === EMPTY || value.startsWith(`${EMPTY}\n`))
    return { reasoning: null, rest: value.slice(EMPTY.length + 1) };
  if (!value.startsWith(OPEN)) return null;
  const end = value.indexOf(CLOSE, OPEN.length);
  if (end < 0) return null;
  const rest = value.slice(end + CLOSE.length);
  if (rest !== '' && !rest.startsWith('\n')) return null;
  return { reasoning: value.slice(OPEN.length, end), rest: rest.slice(1) };
}

/** The arguments stay as they are written, with all digits of their numbers. */
function readCall(line: string): GptTurn['calls'][number] | null {
  const parsed = parseJson(line);
  if (!isJsonObject(parsed) || typeof parsed.name !== 'string' || !isJsonObject(parsed.arguments))
    return null;
  const head = `{"name": ${JSON.stringify(parsed.name)}, "arguments": `;
  const asWritten = line.startsWith(head) && Object.keys(parsed).length === 2;
  const text = asWritten ? line.slice(head.length, -1) : JSON.stringify(parsed.arguments);
  return { name: parsed.name, arguments: text };
}
