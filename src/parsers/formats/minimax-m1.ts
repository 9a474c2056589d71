import { append } from '../../core/lists/append.js';
import type { CallFormat, ReadCalls, Source } from '../call-format.js';
import { callsOfJson } from '../calls/json-calls.js';
import { escapedJson } from '../json/escaped-json.js';
import { readOnce } from '../json/read-arguments.js';
import { repairOf } from '../json/repair-words.js';
import { findFirst, skipSpace } from '../source.js';

const OPEN = '<tool_calls>';
const CLOSE = '</tool_calls>';
/** What ends a line that cannot be read. */
const NEXT_LINE = ['\n{"name"', '\n{ "name"', '\n{"arguments"'];

/** MiniMax M1: one JSON object a line in `<tool_calls>`. */
export const minimaxM1: CallFormat = {
  name: 'minimax-m1',
  family: 'minimax',
  markers: [OPEN],
  read: readLines,
  render(calls) {
    if (calls.length === 0) return '';
    const lines = calls.map(({ name, arguments: args }) =>
      escapedJson({ name, arguments: args }, [OPEN, CLOSE]),
    );
    return [OPEN, ...lines, CLOSE].join('\n');
  },
};

function readLines(source: Source, at: number): ReadCalls | null {
  const { text } = source;
  const into: ReadCalls = { end: at, calls: [], failures: [], text: '', closed: false };
  let next = skipSpace(text, at + OPEN.length);
  if (text[next] !== '{' && text[next] !== '[') return null;
  for (let from = at; text[next] === '{' || text[next] === '['; from = next) {
    const read = readOnce(source, next, {
      until: [CLOSE, ...NEXT_LINE],
      mayMiss: text[next] === '[' ? 2 : 1,
    });
    into.end = read.end;
    const place = { raw: text.slice(from, read.end), offset: from };
    if (read.ok) {
      const found = callsOfJson(read.value, { ...place, repairs: read.repairs });
      append(into.calls, found.calls);
      append(into.failures, found.failures);
    } else into.failures.push({ code: read.code, message: read.message, ...place });
    next = skipSpace(text, text[into.end] === ',' ? into.end + 1 : into.end);
  }
  return finish(source, into, next);
}

/** Text up to the closing tag belongs to no call; without that tag what follows is no part of this. */
function finish(source: Source, into: ReadCalls, from: number): ReadCalls {
  const { text } = source;
  const close = findFirst(source, [CLOSE, OPEN], from);
  if (text.startsWith(CLOSE, close)) {
    into.text = text.slice(from, close);
    return { ...into, end: close + CLOSE.length, closed: true };
  }
  for (const call of into.calls.slice(-1)) call.repairs = [...call.repairs, repairOf('missing_close_tag')];
  return into;
}
