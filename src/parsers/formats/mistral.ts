import type { CallFormat, ReadCalls, Source } from '../call-format.js';
import { callsOfJson } from '../calls/json-calls.js';
import { escapedJson } from '../json/escaped-json.js';
import { readArguments, readOnce } from '../json/read-arguments.js';
import type { ParseFailure } from '../parse-result.js';
import { skipSpace } from '../source.js';

const MARK = '[TOOL_CALLS]';
const MARKS = [MARK, '[ARGS]', '[CALL_ID]'];
/** A list of objects or an object, rather than brackets in prose. */
const JSON_CALLS = /\[\s*(?:[{\]]|$)|\{\s*(?:["'}]|$)/y;
const NAMED_CALL =
  /([\w.:/-]{1,200})[ \n]{0,4}(?:\[CALL_ID\][ \n]{0,4}([\w-]{1,100})[ \n]{0,4})?(\[ARGS\])?/y;
/** Behind JSON that seems complete: more of it, so it was not. */
const GOES_ON = /\s{0,100}[,:"'}{\]]/y;

/** Mistral from tokenizer v11 on: `[TOOL_CALLS]f{…}`, later `[TOOL_CALLS]f[CALL_ID]9bf3a1c2d[ARGS]{…}`. */
export const mistralNamed: CallFormat = {
  name: 'mistral-named',
  family: 'mistral',
  markers: [MARK],
  read: readNamed,
  render: (calls) =>
    calls
      .map(({ id, name, arguments: args }) => {
        // The templates insist on ids of nine letters and digits.
        const written = /^[A-Za-z0-9]{9}$/.test(id) ? `[CALL_ID]${id}` : '';
        return `${MARK}${name}${written}[ARGS]${escapedJson(args, MARKS)}`;
      })
      .join(''),
};

/** Mistral up to tokenizer v7: one list of calls, or a single call, as JSON. */
export const mistralJson: CallFormat = {
  name: 'mistral-json',
  family: 'mistral',
  markers: [MARK],
  read: readList,
  render: (calls) =>
    calls.length === 0
      ? ''
      : `${MARK} ${escapedJson(
          calls.map(({ id, name, arguments: args }) => ({ name, arguments: args, id })),
          MARKS,
        )}`,
};

function readNamed(source: Source, at: number): ReadCalls | null {
  const { text } = source;
  NAMED_CALL.lastIndex = skipSpace(text, at + MARK.length);
  const found = NAMED_CALL.exec(text);
  if (found === null) return null;
  const [, name = '', nativeId = null, mark] = found;
  const start = skipSpace(text, NAMED_CALL.lastIndex);
  if (mark === undefined && !/[{"`]/.test(text[start] ?? '')) return null;
  if (start === text.length) {
    return failed(source, at, start, 'truncated', `${name}: the text ends before the arguments`);
  }
  const read = readArguments(source, start, { until: [MARK] });
  if (!read.ok) return failed(source, at, read.end, read.code, `${name}: ${read.message}`);
  GOES_ON.lastIndex = read.end;
  if (GOES_ON.test(text)) {
    const next = source.find(MARK, read.end);
    const message = `${name}: the JSON is broken: it goes on behind its last closing bracket`;
    return failed(source, at, next === -1 ? text.length : next, 'bad_json', message);
  }
  const raw = text.slice(at, read.end);
  const call = { name, nativeId, arguments: read.arguments, repairs: read.repairs, raw };
  const closed = read.final && isSettled(text, read.end);
  return { end: read.end, calls: [call], failures: [], text: '', closed };
}

function readList(source: Source, at: number): ReadCalls | null {
  const { text } = source;
  const start = skipSpace(text, at + MARK.length);
  JSON_CALLS.lastIndex = start;
  if (!JSON_CALLS.test(text)) return null;
  // What surrounds the arguments: the call, and in a list the list.
  const mayMiss = text[start] === '[' ? 2 : 1;
  const read = readOnce(source, start, { until: [MARK], mayMiss });
  if (!read.ok) return failed(source, at, read.end, read.code, read.message);
  const raw = text.slice(at, read.end);
  const found = callsOfJson(read.value, { raw, offset: at, repairs: read.repairs });
  // A list is what belongs here.
  for (const call of found.calls) call.repairs = call.repairs.filter(({ kind }) => kind !== 'array_of_calls');
  const closed = read.final && isSettled(text, read.end);
  return { end: read.end, calls: found.calls, failures: found.failures, text: found.text, closed };
}

/** What follows the JSON is known, and is not more JSON. */
function isSettled(text: string, end: number): boolean {
  const next = text[skipSpace(text, end)];
  return next !== undefined && next !== '{' && next !== '[';
}

function failed(
  source: Source,
  at: number,
  end: number,
  code: ParseFailure['code'],
  message: string,
): ReadCalls {
  const failure = { code, message, raw: source.text.slice(at, end), offset: at };
  return { end, calls: [], failures: [failure], text: '', closed: false };
}
