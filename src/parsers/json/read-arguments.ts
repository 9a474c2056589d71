import type { Source } from '../call-format.js';
import type { ParseFailure, Repair } from '../parse-result.js';
import { createSource, skipSpace } from '../source.js';
import { type JsonFailure, type JsonOptions, type JsonRead, readJson } from './read-json.js';
import { repairOf } from './repair-words.js';

export type Arguments =
  | { ok: true; arguments: Record<string, unknown>; repairs: Repair[] }
  | { ok: false; code: ParseFailure['code']; message: string };

/** Some models encode an encoded text once more. */
const MAX_ENCODINGS = 3;

/** The arguments of a call from what its JSON has in their place. None (missing, null, empty text) are `{}`; anything else that is no object is refused. */
export function argumentsOf(value: unknown, encodings = 0): Arguments {
  if (value === undefined || value === null) return { ok: true, arguments: {}, repairs: [] };
  if (typeof value === 'object' && !Array.isArray(value))
    return { ok: true, arguments: value as Record<string, unknown>, repairs: [] };
  if (typeof value !== 'string' || encodings >= MAX_ENCODINGS) return refused(value);
  if (value.trim() === '') return { ok: true, arguments: {}, repairs: [] };
  const source = createSource(value);
  const read = readOnce(source, 0, {});
  if (!read.ok)
    return { ok: false, code: read.code, message: `the arguments are a text; in it, ${read.message}` };
  if (skipSpace(value, read.end) < value.length)
    return {
      ok: false,
      code: 'bad_json',
      message: 'the arguments are a text with more in it than one JSON object',
    };
  const inner = argumentsOf(read.value, encodings + 1);
  if (!inner.ok) return inner;
  const repairs = [...read.repairs, ...inner.repairs];
  const decoded = repairs.some(({ kind }) => kind === 'string_encoded_arguments');
  return {
    ...inner,
    repairs: decoded ? repairs : [repairOf('string_encoded_arguments'), ...repairs],
  };
}

/** Reads the arguments that stand at a place of the text as JSON; `end` is where the text goes on (on failure: where to give up to). */
export function readArguments(
  source: Source,
  at: number,
  options: JsonOptions = {},
): Arguments & { end: number; final: boolean } {
  const read = readOnce(source, at, options);
  if (!read.ok) return read;
  const { end, final } = read;
  const found = argumentsOf(read.value);
  if (!found.ok) return { ok: false, code: found.code, message: found.message, end, final };
  const repairs = [...read.repairs, ...found.repairs];
  return { ok: true, arguments: found.arguments, repairs, end, final };
}

/** A JSON value, of which some models write every one twice. */
export function readOnce(source: Source, at: number, options: JsonOptions): JsonRead | JsonFailure {
  const first = readJson(source, at, options);
  if (!first.ok || typeof first.value !== 'object') return first;
  const next = skipSpace(source.text, first.end);
  if (source.text[next] !== source.text[skipSpace(source.text, at)]) return first;
  const second = readJson(source, next, options);
  if (!second.ok || JSON.stringify(second.value) !== JSON.stringify(first.value)) return first;
  return { ...second, repairs: [...first.repairs, repairOf('duplicated_json')] };
}

function refused(value: unknown): Arguments {
  const what = Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  return {
    ok: false,
    code: 'not_an_object',
    message: `the arguments are ${what} instead of one JSON object`,
  };
}
