import type { CallFormat, ReadCalls, Source } from '../call-format.js';
import { repairOf } from '../json/repair-words.js';
import { NoLiteral, PythonReader } from '../python/python-reader.js';
import { writePythonCall } from '../python/write-python.js';

/** Where a line begins with a list of calls, of which the first has arguments with names, none, or some that look like values. */
const START =
  /(?<![^\n])[ \t]{0,8}\[\s{0,8}[A-Za-z_][\w.-]{0,199}\(\s{0,8}(?:[A-Za-z_]\w{0,99}\s{0,4}=|[)"'\d]|\*\*)/g;
const OPEN = '<|python_start|>';
const ENDS = /(?:\s*<\|(?:python_end|eom|eot|eom_id|eot_id)\|>){1,3}/y;
const FIRST_CALL = /\s*\[\s*([A-Za-z_][\w.-]{0,199})\(/y;
/** What looking in vain counts for, in characters: hostile texts have many such places. */
const COST_OF_NOTHING = 1000;
/** Behind a call that cannot be read: the next one, or the end of the list. */
const NEXT_CALL = /\)\s*(?:,\s*(?=[A-Za-z_][\w.-]{0,199}\()|(?=\]))/g;

/** Llama 4 (and 3.2): `[f(a=1, b="x"), g()]`, a list of calls in Python's notation, with or without marks around it. */
export const llamaPythonic: CallFormat = {
  name: 'llama-pythonic',
  family: 'llama',
  markers: [OPEN],
  starts: START,
  read(source, at, context) {
    const { text } = source;
    const marked = text.startsWith(OPEN, at);
    FIRST_CALL.lastIndex = marked ? at + OPEN.length : at;
    const name = FIRST_CALL.exec(text)?.[1];
    if (name === undefined) return null;
    const start = text.indexOf('[', marked ? at + OPEN.length : at);
    const isCall = marked || context.tools.has(name);
    if (!isCall && source.rereads.left < 0) return null;
    const read = readList(text, at, start, isCall);
    if (read === null) source.rereads.left -= COST_OF_NOTHING;
    return read === null ? null : withEnd(source, read);
  },
  render: (calls) => (calls.length === 0 ? '' : `[${calls.map(writePythonCall).join(', ')}]`),
};

/** Brackets and parentheses also stand in prose and in code: unless it `isCall`, all of it has to be readable. */
function readList(text: string, at: number, start: number, isCall: boolean): ReadCalls | null {
  const into: ReadCalls = { end: start + 1, calls: [], failures: [], text: '', closed: false };
  for (let from = at, next: number | null = start + 1; next !== null; from = into.end) {
    const error = readOne(text, from, next, into);
    if (error instanceof NoLiteral && !isCall) return null;
    next = error instanceof NoLiteral ? giveUp(text, from, error, into) : error;
  }
  return into;
}

/** Reads the call at `at` and answers where the next one begins; null when it was the last, and what is wrong with it. */
function readOne(text: string, from: number, at: number, into: ReadCalls): number | NoLiteral | null {
  const reader = new PythonReader(text, at);
  try {
    const call = reader.call();
    const last = reader.takes(']');
    into.closed = last;
    const goesOn = !last && reader.takes(',');
    into.end = reader.at;
    // Neither a comma nor the end: the list was cut off, or is none.
    const repairs = last || goesOn ? [] : [repairOf('missing_close_tag')];
    const raw = text.slice(from, reader.at);
    into.calls.push({ name: call.name, nativeId: null, arguments: call.arguments, repairs, raw });
    if (goesOn && reader.takes(']')) {
      into.end = reader.at;
      into.closed = true;
      return null;
    }
    return goesOn && reader.peek() !== '' ? reader.at : null;
  } catch (error) {
    if (!(error instanceof NoLiteral)) throw error;
    into.end = reader.at;
    return error;
  }
}

function giveUp(text: string, from: number, error: NoLiteral, into: ReadCalls): number | null {
  NEXT_CALL.lastIndex = into.end;
  const found = NEXT_CALL.exec(text);
  const end = found === null ? text.length : NEXT_CALL.lastIndex;
  const code = error.cut ? 'truncated' : 'malformed';
  const raw = text.slice(from, end);
  into.failures.push({ code, message: `the call is broken: ${error.what}`, raw, offset: from });
  into.end = end;
  if (text[end] !== ']') return found === null ? null : end;
  into.end = end + 1;
  into.closed = true;
  return null;
}

function withEnd({ text }: Source, read: ReadCalls): ReadCalls {
  ENDS.lastIndex = read.end;
  return ENDS.test(text) ? { ...read, end: ENDS.lastIndex, closed: true } : read;
}
