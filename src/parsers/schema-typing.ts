import { type JsonRead, readJson } from './json/read-json.js';
import { repairOf } from './json/repair-words.js';
import type { Repair } from './parse-result.js';
import { type JsonType, typeOfValue } from './schema-types.js';
import { createSource, skipSpace } from './source.js';

export interface TypedValue {
  value: unknown;
  repairs: Repair[];
}

type Types = ReadonlySet<JsonType>;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WORDS = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/**
 * The value that the text of an XML parameter stands for.
 *
 * With types (of the tool's JSON Schema): `string` alone keeps the text untouched, however numeric it
 * looks. Every other type is read as JSON, forgivingly, and must fit; where `string` is one alternative
 * of several, the others are tried first, as strictly written JSON only. What fits nothing is kept as
 * text, with a repair that says so.
 *
 * Without types (null): true, false, null, a number exactly as JSON writes it, and a sound JSON array
 * or object are what they are; everything else is text, `"quoted"`, `007` and `None` included.
 */
export function typeValue(text: string, types: Types | null): TypedValue {
  if (types === null) return { value: untyped(text), repairs: [] };
  const mayBeText = types.has('string');
  if (mayBeText && types.size === 1) return { value: text, repairs: [] };
  const plain = scalar(text.trim());
  if (plain !== undefined && fits(plain, types)) return { value: plain, repairs: [] };
  const structure = types.has('array') || types.has('object') ? structured(text) : null;
  if (structure !== null && isContainer(structure.value) && fits(structure.value, types)) {
    const { value, repairs } = structure;
    if (!mayBeText || repairs.length === 0) return { value, repairs };
  }
  if (mayBeText) return { value: text, repairs: [] };
  return forgiven(text, structure, types) ?? { value: text, repairs: [keptAsText(text, types)] };
}

function untyped(text: string): unknown {
  // White space around a scalar may be meant; around a structure it is layout.
  const value = scalar(text);
  if (value !== undefined) return value;
  const structure = structured(text);
  const sound = structure !== null && structure.repairs.length === 0 && isContainer(structure.value);
  return sound ? structure.value : text;
}

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** A number, boolean or null as JSON writes it; undefined for anything else, and for whole numbers that would lose digits. */
function scalar(text: string): unknown {
  if (!NUMBER.test(text)) return WORDS.get(text);
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  return Number.isSafeInteger(value) || /[.eE]/.test(text) || String(value) === text ? value : undefined;
}

/** An array or object that is all of the text, or a text in quotes that may hold one. */
function structured(text: string): JsonRead | null {
  const first = text[skipSpace(text, 0)];
  if (first !== '{' && first !== '[' && first !== '(' && first !== '"' && first !== '`') return null;
  const read = readJson(createSource(text), 0);
  return read.ok && skipSpace(text, read.end) === text.length ? read : null;
}

function forgiven(text: string, structure: JsonRead | null, types: Types): TypedValue | null {
  const trimmed = text.trim();
  const word = trimmed === 'None' ? null : WORDS.get(trimmed.toLowerCase());
  if (word !== undefined && fits(word, types)) return { value: word, repairs: [repairOf('python_literals')] };
  if (typeof structure?.value !== 'string') return null;
  const inner = structured(structure.value);
  if (inner === null || !fits(inner.value, types)) return null;
  const encoded = repairOf('string_encoded_arguments', 'a value was a text that holds JSON');
  return { value: inner.value, repairs: [encoded, ...inner.repairs] };
}

function fits(value: unknown, types: Types): boolean {
  const type = typeOfValue(value);
  return types.has(type) || (type === 'integer' && types.has('number'));
}

function keptAsText(text: string, types: Types): Repair {
  const shown = JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
  return repairOf('kept_as_text', `${shown} is no ${[...types].join(' or ')} and was kept as text`);
}
