import { Prefix } from '../prefix.js';
import { Float } from '../python-json.js';

/** What the values of a column, or of a place inside of one, have been so far. */
export type ColumnType =
  /** Only nulls. */
  | { kind: 'unknown' }
  | { kind: 'boolean' | 'integer' | 'float' | 'string' }
  | { kind: 'list'; item: ColumnType }
  /** Fields in the order in which they were first seen; absent ones are null. */
  | { kind: 'struct'; fields: ReadonlyMap<string, ColumnType> }
  /** Values of several kinds, or dictionaries whose keys are data: their JSON, as a string. */
  | { kind: 'json' };

export const UNKNOWN: ColumnType = { kind: 'unknown' };
const JSON_TEXT: ColumnType = { kind: 'json' };
const BOOLEAN: ColumnType = { kind: 'boolean' };
const INTEGER: ColumnType = { kind: 'integer' };
const FLOAT: ColumnType = { kind: 'float' };
const STRING: ColumnType = { kind: 'string' };

/**
 * Dictionaries whose keys are data, whatever the format: as structs, every row would be given the keys of all the
 * others, which makes other arguments of a call and other parameters of a tool than there were.
 */
const FREE_FORM = new Set([
  'arguments',
  'components',
  'eval_criteria',
  'extra',
  'generation_params',
  'group_overrides',
  'inputs',
  'metadata',
  'overrides',
  'parameters',
  'parts',
  'reset_kwargs',
  'sent_view',
]);
/** More fields than any record of ours has. */
const MOST_FIELDS = 100;

/** The type of one value at a place of this name. */
export function typeOf(value: unknown, name = ''): ColumnType {
  if (value === null || value === undefined) return UNKNOWN;
  if (value instanceof Float) return FLOAT;
  if (typeof value === 'boolean') return BOOLEAN;
  if (typeof value === 'string') return STRING;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? INTEGER : FLOAT;
  if (Array.isArray(value))
    return {
      kind: 'list',
      item: value.reduce((type: ColumnType, item) => unify(type, typeOf(item, name)), UNKNOWN),
    };
  if (value instanceof Prefix) return typeOf(value.toJSON(), name);
  if (FREE_FORM.has(name)) return JSON_TEXT;
  const members = Object.entries(value as object).filter(([, member]) => member !== undefined);
  return {
    kind: 'struct',
    fields: new Map(members.map(([key, member]) => [key, typeOf(member, key)])),
  };
}

/** The narrowest type that holds the values of both. */
export function unify(a: ColumnType, b: ColumnType): ColumnType {
  if (a === b || b.kind === 'unknown') return a;
  if (a.kind === 'unknown') return b;
  if (a.kind === 'list' && b.kind === 'list') return { kind: 'list', item: unify(a.item, b.item) };
  if (a.kind === 'struct' && b.kind === 'struct') return unifyStructs(a.fields, b.fields);
  if (a.kind === b.kind) return a;
  return isNumber(a) && isNumber(b) ? FLOAT : JSON_TEXT;
}

const isNumber = ({ kind }: ColumnType): boolean => kind === 'integer' || kind === 'float';

function unifyStructs(a: ReadonlyMap<string, ColumnType>, b: ReadonlyMap<string, ColumnType>): ColumnType {
  const fields = new Map(a);
  for (const [name, type] of b) fields.set(name, unify(fields.get(name) ?? UNKNOWN, type));
  return fields.size > MOST_FIELDS ? JSON_TEXT : { kind: 'struct', fields };
}

/** Paths of the places that hold JSON text: `metadata`, `conversations[].extra`. */
export function jsonPaths(type: ColumnType, path = ''): string[] {
  if (type.kind === 'list') return jsonPaths(type.item, `${path}[]`);
  if (type.kind === 'struct' && type.fields.size > 0)
    return [...type.fields].flatMap(([name, field]) =>
      jsonPaths(field, path === '' ? name : `${path}.${name}`),
    );
  return isJsonText(type) ? [path] : [];
}

/** A struct without fields cannot be written: dictionaries that were always empty are JSON too. */
export const isJsonText = (type: ColumnType): boolean =>
  type.kind === 'json' || (type.kind === 'struct' && type.fields.size === 0);
