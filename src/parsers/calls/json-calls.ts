import type { RawCall } from '../call-format.js';
import { argumentsOf } from '../json/read-arguments.js';
import { repairOf } from '../json/repair-words.js';
import type { ParseFailure, Repair } from '../parse-result.js';

/** Calls out of one JSON value; `text` is what a message around them says. */
export interface JsonCalls {
  calls: RawCall[];
  failures: ParseFailure[];
  text: string;
}

/** Where the JSON stood, and what had to be repaired to read it. */
export interface JsonPlace {
  raw: string;
  offset: number;
  repairs: readonly Repair[];
}

/** Name and arguments of one call, in any of the shapes that models and APIs give it. */
export interface CallShape {
  name: string;
  id: string | null;
  arguments: unknown;
  /** It says what its arguments are, if only that there are none. */
  hasArguments: boolean;
  /** OpenAI's own shape, in which the arguments are a text as specified. */
  textArguments: boolean;
}

const ARGUMENT_KEYS = ['arguments', 'parameters', 'input'] as const;
/** Members of a call that are none of its arguments. */
const NOT_ARGUMENTS: ReadonlySet<string> = new Set(['name', 'id', 'type', 'index', 'function']);

/**
 * Reads `{name, arguments|parameters}`, OpenAI's `{type, function: {…}}`, a list of either, and a
 * message or wrapper with `tool_calls`. Each that cannot be read is a failure of its own.
 */
export function callsOfJson(value: unknown, place: JsonPlace): JsonCalls {
  const result: JsonCalls = { calls: [], failures: [], text: '' };
  const wrapped = callListOf(value);
  const items = wrapped ?? (Array.isArray(value) ? value : [value]);
  if (wrapped !== null && isRecord(value) && typeof value.content === 'string') result.text = value.content;
  if (wrapped === null && Array.isArray(value)) {
    if (items.length === 0) result.failures.push(failure('malformed', 'a list without calls', place));
    else place = { ...place, repairs: [...place.repairs, repairOf('array_of_calls')] };
  }
  for (const item of items) readItem(item, place, result);
  return result;
}

/** What has the shape of a call, with or without arguments; null for everything else. */
export function callShapeOf(value: unknown): CallShape | null {
  if (!isRecord(value)) return null;
  const inner = isRecord(value.function) ? value.function : value;
  const name = inner.name ?? (typeof value.function === 'string' ? value.function : undefined);
  if (typeof name !== 'string' || name.trim() === '') return null;
  const key = ARGUMENT_KEYS.find((candidate) => Object.hasOwn(inner, candidate));
  return {
    name: name.trim(),
    id: typeof value.id === 'string' && value.id !== '' ? value.id : null,
    arguments: key === undefined ? flatArguments(inner) : inner[key],
    hasArguments: key !== undefined,
    textArguments: inner !== value,
  };
}

/** What stands beside the name where nothing is called arguments; undefined where nothing does. */
function flatArguments(inner: Record<string, unknown>): Record<string, unknown> | undefined {
  const rest = Object.entries(inner).filter(([key]) => !NOT_ARGUMENTS.has(key));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

/** The calls of a message or wrapper: `tool_calls`, the older `function_call`. */
export function callListOf(value: unknown): unknown[] | null {
  if (!isRecord(value)) return null;
  if (Array.isArray(value.tool_calls) && value.tool_calls.length > 0) return value.tool_calls;
  return isRecord(value.function_call) ? [value.function_call] : null;
}

function readItem(item: unknown, place: JsonPlace, into: JsonCalls): void {
  const shape = callShapeOf(item);
  if (shape === null) {
    const [code, what] = isRecord(item)
      ? (['no_name', 'the call has no name'] as const)
      : (['not_an_object', 'the call is not a JSON object'] as const);
    into.failures.push(failure(code, what, place));
    return;
  }
  const found = argumentsOf(shape.arguments);
  if (!found.ok) {
    into.failures.push(failure(found.code, `${shape.name}: ${found.message}`, place));
    return;
  }
  const specified = shape.textArguments;
  const own = specified
    ? found.repairs.filter(({ kind }) => kind !== 'string_encoded_arguments')
    : found.repairs;
  into.calls.push({
    name: shape.name,
    nativeId: shape.id,
    arguments: found.arguments,
    repairs: [...place.repairs, ...own, ...unsaid(shape)],
    raw: place.raw,
  });
}

/** What was made of arguments that were not given where they belong: nothing becomes `{}` silently. */
function unsaid(shape: CallShape): Repair[] {
  const { arguments: given } = shape;
  if (!shape.hasArguments && given !== undefined) return [repairOf('flat_arguments')];
  if (shape.textArguments && given === '') return [];
  const none = given === undefined || given === null || (typeof given === 'string' && given.trim() === '');
  return none ? [repairOf('no_arguments')] : [];
}

function failure(code: ParseFailure['code'], message: string, { raw, offset }: JsonPlace): ParseFailure {
  return { code, message, raw, offset };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
