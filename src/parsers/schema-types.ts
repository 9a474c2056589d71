export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object';

type Schema = Record<string, unknown>;

const TYPES: ReadonlySet<unknown> = new Set<JsonType>([
  'string',
  'number',
  'integer',
  'boolean',
  'null',
  'array',
  'object',
]);
/** Schemas that refer to themselves end here. */
const MAX_DEPTH = 8;

/**
 * The JSON types that a property of a tool's parameters may have, through `anyOf`, `oneOf`, `allOf`,
 * `enum`, `const`, `nullable` and local `$ref`; null where the schema does not say.
 */
export function typesOfProperty(parameters: Schema, name: string): ReadonlySet<JsonType> | null {
  const properties = asSchema(parameters.properties);
  if (properties !== null && Object.hasOwn(properties, name)) return typesOf(properties[name], parameters, 0);
  return typesOf(parameters.additionalProperties, parameters, 0);
}

/** The property names that a tool's parameters declare. */
export function declaredProperties(parameters: Schema): ReadonlySet<string> {
  return new Set(Object.keys(asSchema(parameters.properties) ?? {}));
}

function typesOf(node: unknown, root: Schema, depth: number): ReadonlySet<JsonType> | null {
  const schema = asSchema(node);
  if (schema === null || depth > MAX_DEPTH) return null;
  const own = ownTypes(schema) ?? ofAlternatives(schema, root, depth) ?? ofReference(schema, root, depth);
  return own !== null && schema.nullable === true ? new Set<JsonType>([...own, 'null']) : own;
}

function ownTypes(schema: Schema): ReadonlySet<JsonType> | null {
  const named = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => TYPES.has(type));
  if (named.length > 0) return new Set(named as JsonType[]);
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return new Set(schema.enum.map(typeOfValue));
  if ('const' in schema) return new Set([typeOfValue(schema.const)]);
  if ('properties' in schema) return new Set(['object']);
  return 'items' in schema ? new Set(['array']) : null;
}

function ofAlternatives(schema: Schema, root: Schema, depth: number): ReadonlySet<JsonType> | null {
  const union = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(union)) {
    const types = union.map((one) => typesOf(one, root, depth + 1));
    // One alternative that says nothing allows everything.
    return types.includes(null) ? null : new Set(types.flatMap((set) => [...(set ?? [])]));
  }
  if (!Array.isArray(schema.allOf)) return null;
  return schema.allOf.map((one) => typesOf(one, root, depth + 1)).find((types) => types !== null) ?? null;
}

function ofReference(schema: Schema, root: Schema, depth: number): ReadonlySet<JsonType> | null {
  if (typeof schema.$ref !== 'string' || !schema.$ref.startsWith('#/')) return null;
  let node: unknown = root;
  for (const step of schema.$ref.slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const parent = asSchema(node);
    node = parent !== null && Object.hasOwn(parent, key) ? parent[key] : undefined;
  }
  return typesOf(node, root, depth + 1);
}

/** The type of a value; whole numbers are `integer`. */
export function typeOfValue(value: unknown): JsonType {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as 'string' | 'boolean' | 'object';
}

function asSchema(node: unknown): Schema | null {
  return typeof node === 'object' && node !== null && !Array.isArray(node) ? (node as Schema) : null;
}
