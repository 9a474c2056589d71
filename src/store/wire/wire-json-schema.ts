import { z } from 'zod';
import { toSnakeCase } from './wire-names.js';

type JsonSchema = Record<string, unknown>;

/** The JSON Schema of a record as it stands on disk: our names in snake case, what has a default may be absent. */
export function wireJsonSchema(schema: z.ZodType): JsonSchema {
  return withWireNames(z.toJSONSchema(schema, { io: 'input' })) as JsonSchema;
}

function withWireNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withWireNames);
  if (typeof value !== 'object' || value === null) return value;
  const { readOnly: _frozenInMemory, ...keywords } = value as JsonSchema;
  const entries = Object.entries(keywords).map(([keyword, inner]) => {
    if (keyword === 'properties') return [keyword, withWireKeys(inner as JsonSchema)];
    if (keyword === 'required') return [keyword, (inner as string[]).map(toSnakeCase)];
    if (keyword === 'default' || keyword === 'const' || keyword === 'enum') return [keyword, inner];
    return [keyword, withWireNames(inner)];
  });
  return Object.fromEntries(entries);
}

const withWireKeys = (properties: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [toSnakeCase(name), withWireNames(inner)]),
  );
