import { append } from '../../core/lists/append.js';
import type { CallFormat, ReadCalls, Source, WrittenCall } from '../call-format.js';
import { callShapeOf, callsOfJson } from '../calls/json-calls.js';
import { readOnce } from '../json/read-arguments.js';
import type { JsonFailure, JsonRead } from '../json/read-json.js';
import { repairOf } from '../json/repair-words.js';
import type { Repair } from '../parse-result.js';
import { REASONING_TAGS } from '../reasoning-tags.js';
import { findFirst, skipSpace } from '../source.js';

/** JSON in `<tool_call>`: Hermes, Qwen 2.5 and 3, the DeepSeek distillations. */
export const tagJson = jsonInTag('tag-json', '<tool_call>', '</tool_call>');

/** The same in LongCat's tag. */
export const longcatJson = jsonInTag('longcat-json', '<longcat_tool_call>', '</longcat_tool_call>');

/** What may follow a call's JSON and still mean that the JSON was read as it was meant. */
const SUSPICIOUS = /["'{}[\]]/;

function jsonInTag(name: string, open: string, close: string): CallFormat {
  return {
    name,
    family: 'hermes',
    markers: [open],
    read: (source, at) => readTag(source, at, open, close),
    render: (calls) => calls.map((call) => `${open}\n${callJson(call)}\n${close}`).join('\n'),
  };
}

function callJson({ name, arguments: args }: WrittenCall): string {
  return JSON.stringify({ name, arguments: args });
}

function readTag(source: Source, at: number, open: string, close: string): ReadCalls | null {
  const { text } = source;
  let next = skipSpace(text, at + open.length);
  if (!startsJson(text, next)) return null;
  const until = [close, open, ...REASONING_TAGS];
  const result: ReadCalls = { end: next, calls: [], failures: [], text: '', closed: false };
  const seen = new Set<string>();
  for (;;) {
    const read = readOnce(source, next, { until, mayMiss: 1 });
    if (!read.ok) return giveUp(source, at, read, result, close);
    const rest = afterJson(source, read, open, close);
    result.end = rest.end;
    result.closed = rest.closed;
    if (SUSPICIOUS.test(rest.junk)) return broken(source, at, result);
    result.text += rest.junk;
    add(source, at, read, rest.repairs, seen, result);
    if (rest.next === null) return result;
    next = rest.next;
  }
}

function startsJson(text: string, at: number): boolean {
  return text[at] === '{' || text[at] === '[' || text.startsWith('```', at);
}

interface Rest {
  end: number;
  /** Where another JSON value stands in the same tag. */
  next: number | null;
  junk: string;
  repairs: Repair[];
  closed: boolean;
}

/** What stands behind the JSON: its close tag, another value, the next tag or nothing. */
function afterJson(source: Source, { end }: JsonRead, open: string, close: string): Rest {
  const { text } = source;
  const behind = skipSpace(text, text[skipSpace(text, end)] === ',' ? skipSpace(text, end) + 1 : end);
  const rest: Rest = { end, next: null, junk: '', repairs: [], closed: true };
  if (text.startsWith(close, behind)) return { ...rest, end: behind + close.length };
  if (text[behind] === '{' || text[behind] === '[') return { ...rest, next: behind };
  const unclosed: Rest = { ...rest, repairs: [repairOf('missing_close_tag')] };
  const stop = findFirst(source, [close, open], behind);
  if (text.startsWith(close, stop)) return { ...rest, end: stop + close.length, junk: text.slice(end, stop) };
  const closed = stop < text.length;
  if (text[behind] === undefined || !SUSPICIOUS.test(text[behind])) return { ...unclosed, closed };
  return { ...unclosed, closed, end: stop, junk: text.slice(end, stop) };
}

/** Several values in one tag are several calls, but the same one twice is a slip of the model. */
function add(
  source: Source,
  at: number,
  read: JsonRead,
  more: Repair[],
  seen: Set<string>,
  into: ReadCalls,
): void {
  const key = JSON.stringify(read.value);
  const first = into.calls[0];
  if (seen.has(key)) {
    first?.repairs.push(repairOf('duplicated_json'));
    return;
  }
  const several = seen.size > 0 ? [repairOf('array_of_calls')] : [];
  seen.add(key);
  const raw = source.text.slice(at, into.end);
  const cutOff = !callHasArguments(read) && read.repairs.some(({ kind }) => kind === 'unclosed_json');
  if (cutOff && into.end === source.text.length) {
    into.failures.push({ code: 'truncated', message: 'the text ends before the arguments', raw, offset: at });
    return;
  }
  const place = { raw, offset: at, repairs: [...read.repairs, ...several, ...more] };
  const found = callsOfJson(read.value, place);
  append(into.calls, found.calls);
  append(into.failures, found.failures);
  into.text += found.text;
}

function callHasArguments({ value }: JsonRead): boolean {
  return Array.isArray(value) || callShapeOf(value)?.hasArguments !== false;
}

function giveUp(source: Source, at: number, failure: JsonFailure, into: ReadCalls, close: string): ReadCalls {
  const closed = source.text.startsWith(close, failure.end);
  const end = failure.end + (closed ? close.length : 0);
  const { code, message } = failure;
  const raw = source.text.slice(at, end);
  return {
    ...into,
    end,
    failures: [...into.failures, { code, message, raw, offset: at }],
    closed: failure.final,
  };
}

/** What follows the JSON is more of it: the JSON ended early, so what was read is not what was meant. */
function broken(source: Source, at: number, into: ReadCalls): ReadCalls {
  const raw = source.text.slice(at, into.end);
  const message = 'the JSON is broken: it goes on behind its last closing bracket';
  return { ...into, failures: [...into.failures, { code: 'bad_json', message, raw, offset: at }] };
}
