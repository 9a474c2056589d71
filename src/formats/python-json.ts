import { Prefix } from './prefix.js';

/** Of a list that is written piece by piece. */
const PIECE_ITEMS = 8_192;

/** A number that keeps its decimal point: `datasets` takes a column that begins with `1` for integers. */
export class Float {
  constructor(readonly value: number) {}
}

export const float = (value: number | null): Float | null => (value === null ? null : new Float(value));

/**
 * JSON on one line as Python's `json.dumps(value, ensure_ascii=False)` writes it: a space after `:` and `,`,
 * characters beyond ASCII as they are, lone surrogates escaped. Members that are undefined are left out.
 * Throws a RangeError for NaN and infinities, which JSON cannot carry.
 */
export function pythonJson(value: unknown): string {
  if (value instanceof Float) return floatText(value.value);
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number') return numberText(value);
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (value instanceof Prefix) return [...prefixPieces(value)].join('');
  if (typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}: ${pythonJson(member)}`).join(', ')}}`;
}

/** The same text piece by piece, each about as long as the longest list in the value, for rows that are larger than memory should hold. */
export function* pythonJsonPieces(value: unknown): Generator<string> {
  if (value instanceof Prefix) yield* prefixPieces(value);
  else if (Array.isArray(value) && value.some(isNested)) {
    yield '[';
    for (const [i, item] of value.entries()) {
      if (i > 0) yield ', ';
      yield* pythonJsonPieces(item);
    }
    yield ']';
  } else if (isNested(value) && !Array.isArray(value)) yield* memberPieces(value as object);
  else yield pythonJson(value);
}

function* memberPieces(value: object): Generator<string> {
  let before = '{';
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(key)}: `;
    yield* pythonJsonPieces(member);
    before = ', ';
  }
  yield before === '{' ? '{}' : '}';
}

function* prefixPieces(prefix: Prefix<unknown>): Generator<string> {
  let before = '[';
  for (const part of prefix.parts(PIECE_ITEMS)) {
    yield before + part.map(pythonJson).join(', ');
    before = ', ';
  }
  yield before === '[' ? '[]' : ']';
}

const isNested = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !(value instanceof Float);

function floatText(value: number): string {
  const text = numberText(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} cannot be written as JSON`);
  return String(value);
}
