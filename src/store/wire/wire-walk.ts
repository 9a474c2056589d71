import { z } from 'zod';
import { toSnakeCase } from './wire-names.js';

type Json = Record<string, unknown>;
export type Direction = 'toWire' | 'fromWire';

/** The parts of zod's schema definitions that the walk looks at. */
interface Definition {
  type: string;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  innerType?: z.ZodType;
  valueType?: z.ZodType;
  items?: z.ZodType[];
  options?: z.ZodType[];
  discriminator?: string;
  getter?: () => z.ZodType;
  in?: z.ZodType;
}

const definitionOf = (schema: z.ZodType): Definition => schema.def as unknown as Definition;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Renames the keys of a value by its schema: names that the schema declares change case, names that
 * are data (keys of records, anything under `unknown`) do not. What does not fit the schema is left
 * as it is, for the validation to name.
 */
export function renameKeys(schema: z.ZodType, value: unknown, direction: Direction): unknown {
  if (value === null || value === undefined) return value;
  const def = definitionOf(schema);
  switch (def.type) {
    case 'object':
      return isObject(value) ? renameObject(def, value, direction) : value;
    case 'record':
      return isObject(value)
        ? mapValues(value, (v) => renameKeys(def.valueType as z.ZodType, v, direction))
        : value;
    case 'array':
      return Array.isArray(value)
        ? value.map((v) => renameKeys(def.element as z.ZodType, v, direction))
        : value;
    case 'tuple':
      return Array.isArray(value)
        ? value.map((v, i) => (def.items?.[i] ? renameKeys(def.items[i], v, direction) : v))
        : value;
    case 'union':
      return renameUnion(def, value, direction);
    default: {
      const inner = innerOf(def);
      return inner ? renameKeys(inner, value, direction) : value;
    }
  }
}

/** The path of a validation issue as it stands on disk, for messages to people. */
export function wirePath(schema: z.ZodType, path: readonly PropertyKey[]): string {
  const [head, ...rest] = path;
  if (head === undefined) return '';
  const def = definitionOf(schema);
  const inner = innerOf(def);
  if (inner) return wirePath(inner, path);
  const declared = def.shape?.[String(head)];
  const next = declared ?? def.element ?? def.valueType ?? z.unknown();
  const name = declared ? toSnakeCase(String(head)) : String(head);
  const tail = wirePath(next, rest);
  return tail === '' ? name : `${name}.${tail}`;
}

/** The schema behind nullable, optional, default, readonly, lazy and their like; undefined for the others. */
function innerOf(def: Definition): z.ZodType | undefined {
  return def.type === 'lazy' ? def.getter?.() : (def.innerType ?? def.in);
}

function renameObject(def: Definition, value: Json, direction: Direction): Json {
  const out: Json = {};
  for (const [name, member] of Object.entries(def.shape ?? {})) {
    const wire = toSnakeCase(name);
    const [from, to] = direction === 'toWire' ? [name, wire] : [wire, name];
    if (Object.hasOwn(value, from) && value[from] !== undefined) {
      out[to] = renameKeys(member, value[from], direction);
    }
  }
  return out;
}

/** The first option that accepts the value; the renaming of objects needs to know which one it is. */
function renameUnion(def: Definition, value: unknown, direction: Direction): unknown {
  for (const option of def.options ?? []) {
    const renamed = renameKeys(option, value, direction);
    if (option.safeParse(direction === 'toWire' ? value : renamed).success) return renamed;
  }
  // None fits. With a discriminator the option is still known, and a message can name the member at fault.
  const option = def.discriminator && isObject(value) ? chosenOption(def, value, direction) : undefined;
  return option ? renameKeys(option, value, direction) : value;
}

function chosenOption(def: Definition, value: Json, direction: Direction): z.ZodType | undefined {
  const discriminator = def.discriminator as string;
  const found = value[direction === 'toWire' ? discriminator : toSnakeCase(discriminator)];
  return def.options?.find((option) => definitionOf(option).shape?.[discriminator]?.safeParse(found).success);
}

function mapValues(value: Json, map: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(value).map(([name, v]) => [name, map(v)]));
}
