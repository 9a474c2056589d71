import { toSnakeCase } from '../store/wire/wire-names.js';

/** The part of a JSON Schema that says where keys are ours; elsewhere they are the user's (model ids, labels). */
export interface KeySchema {
  properties?: Record<string, KeySchema>;
  additionalProperties?: KeySchema | boolean;
  anyOf?: KeySchema[];
  required?: string[];
}

/** The same JSON Schema with our keys in the spelling of the file: snake case. */
export function withFileKeys<T extends KeySchema>(schema: T): T {
  const copy: T = { ...schema };
  if (schema.properties) {
    const entries = Object.entries(schema.properties);
    copy.properties = Object.fromEntries(
      entries.map(([name, inner]) => [toSnakeCase(name), withFileKeys(inner)]),
    );
  }
  if (schema.required) copy.required = schema.required.map(toSnakeCase);
  if (typeof schema.additionalProperties === 'object') {
    copy.additionalProperties = withFileKeys(schema.additionalProperties);
  }
  if (schema.anyOf) copy.anyOf = schema.anyOf.map(withFileKeys);
  return copy;
}

/**
 * Renames the keys of a value of the file to ours. Keys that the schema does not know are kept,
 * so that the check of the value refuses them by name.
 */
export function fromFileKeys(value: unknown, schema: KeySchema): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { properties, additionalProperties: others } = schema;
  const entries = Object.entries(value);
  if (properties) {
    const ours = new Map(Object.keys(properties).map((name) => [toSnakeCase(name), name]));
    return Object.fromEntries(entries.map(([key, inner]) => [ours.get(key) ?? key, inner]));
  }
  if (typeof others !== 'object') return value;
  return Object.fromEntries(entries.map(([key, inner]) => [key, fromFileKeys(inner, others)]));
}
