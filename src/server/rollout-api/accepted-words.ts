/** The keywords of a JSON Schema that say what a value may be. */
export interface JsonSchema {
  type?: string;
  description?: string;
  enum?: readonly unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  anyOf?: readonly JsonSchema[];
  properties?: Readonly<Record<string, JsonSchema>>;
  [keyword: string]: unknown;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  null: 'null',
};

/** What a schema accepts, in a few words: `a whole number from 1 to 1000, or null`. */
export function acceptedWords(schema: JsonSchema): string {
  if (schema.anyOf) return schema.anyOf.map(acceptedWords).join(', or ');
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  if (schema.type === 'integer' || schema.type === 'number') return numberWords(schema);
  if (schema.type === 'object')
    return `an object with ${Object.keys(schema.properties ?? {}).join(', ') || 'no fields'}`;
  if (schema.type === 'string') return textWords(schema);
  return KINDS[schema.type ?? ''] ?? 'something else';
}

function numberWords({ type, minimum, maximum }: JsonSchema): string {
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  // Without a limit of ours the schema names that of exact integers.
  const bounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  const from = minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER ? '' : ` from ${minimum}`;
  return `${kind}${from}${bounded ? ` to ${maximum}` : from === '' ? '' : ' on'}`;
}

function textWords({ format, pattern, minLength, maxLength }: JsonSchema): string {
  if (format === 'uri')
    return 'an address that begins with http:// or https://, without user, password or query';
  if (pattern !== undefined) return 'letters, digits, ".", "_" and "-", beginning with a letter or digit';
  if (maxLength === undefined) return 'a text';
  return `a text of ${minLength ?? 0} to ${maxLength} characters`;
}
