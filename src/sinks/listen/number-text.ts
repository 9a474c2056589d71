import { Float } from '../../formats/python-json.js';
import { type BodyProblem, RefusedBody } from './refused-body.js';

type Loc = BodyProblem['loc'];
export type NumberKind = 'int' | 'float';

/** A list of lists of numbers as JSON, and the lengths of the inner ones. Throws `RefusedBody`. */
export function matrixText(value: unknown, loc: Loc, kind: NumberKind): { text: string; lengths: number[] } {
  if (!Array.isArray(value)) throw problem('list_type', loc, 'a list of lists is expected');
  const texts = value.map((row, i) => valuesText(row, [...loc, i], kind));
  return { text: `[${texts.join(',')}]`, lengths: value.map((row: unknown[]) => row.length) };
}

/**
 * A list of numbers as JSON: floats always with a point, because Python takes a list of `1` for integers. Strings
 * that say a number, and booleans, are taken as pydantic takes them. Throws `RefusedBody`.
 */
export function valuesText(value: unknown, loc: Loc, kind: NumberKind): string {
  if (!Array.isArray(value)) throw problem('list_type', loc, 'a list is expected');
  // Most are numbers that JSON writes as they are to be written, many times faster than one by one.
  if (value.every(kind === 'int' ? Number.isSafeInteger : hasPoint)) return JSON.stringify(value);
  const parts = new Array<string>(value.length);
  for (let i = 0; i < value.length; i++) {
    const found: unknown = value[i];
    const number = typeof found === 'number' ? found : coerced(found);
    if (number === null) throw problem(`${kind}_type`, [...loc, i], `${shown(found)} is no number`);
    if (!Number.isFinite(number))
      throw problem('finite_number', [...loc, i], `${number} is no number that could be trained on`);
    parts[i] = kind === 'int' ? intText(number, loc, i) : floatText(number);
  }
  return `[${parts.join(',')}]`;
}

/** A number whose shortest text is that of a float in Python, too. */
const hasPoint = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(value) && !Number.isInteger(value);

function intText(value: number, loc: Loc, i: number): string {
  if (!Number.isSafeInteger(value)) throw problem('int_from_float', [...loc, i], `${value} is no integer`);
  return String(value);
}

function floatText(value: number): string {
  // −0 and numbers beyond 1e21 have their own spellings.
  if (!Number.isInteger(value) || Math.abs(value) >= 1e21) return String(value);
  return Object.is(value, -0) ? '-0.0' : `${value}.0`;
}

function coerced(value: unknown): number | null {
  if (value instanceof Float) return value.value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string') return null;
  const infinite = /^\s*([+-]?)(inf|infinity|nan)\s*$/i.exec(value);
  if (infinite !== null) return infinite[2]?.toLowerCase() === 'nan' ? Number.NaN : Number.POSITIVE_INFINITY;
  return value.trim() === '' || Number.isNaN(Number(value)) ? null : Number(value);
}

const SHOWN = 80;

/** It may be as long as the body. */
function shown(value: unknown): string {
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, SHOWN) : value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

const problem = (type: string, loc: Loc, msg: string): RefusedBody => new RefusedBody([{ type, loc, msg }]);
