import type { z } from 'zod';
import { closest } from '../../core/text/closest.js';
import { wireJsonSchema } from '../../store/wire/wire-json-schema.js';
import { renameKeys, wirePath } from '../../store/wire/wire-walk.js';
import { acceptedWords, type JsonSchema } from './accepted-words.js';
import { RefusedRequest } from './refused-request.js';

const FOUND_MAX_CHARS = 80;

/**
 * Reads the snake-case body (or query) of a request. Throws `RefusedRequest` for the first thing at fault: a field
 * that is not known, with what was meant, or a value that is not accepted.
 */
export function readRequest<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const described = wireJsonSchema(schema) as JsonSchema;
  if (!isObject(body))
    throw new RefusedRequest(`found ${found(body)} instead of a JSON object`, null, acceptedWords(described));
  refuseUnknown(described, body, '');
  const parsed = schema.safeParse(renameKeys(schema, body, 'fromWire'));
  if (parsed.success) return parsed.data;
  const path = wirePath(schema, parsed.error.issues[0]?.path ?? []);
  const steps = path.split('.');
  const at = steps.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), body);
  const accepted = acceptedWords(steps.reduce<JsonSchema>(memberOf, described));
  throw new RefusedRequest(`${path}: found ${found(at)}; accepted is ${accepted}`, path, accepted);
}

/** A query is made of texts: those that stand where a number is wanted are read as one. */
export function readQuery<S extends z.ZodType>(schema: S, query: unknown): z.output<S> {
  const { properties = {} } = wireJsonSchema(schema) as JsonSchema;
  const values = Object.entries(query as Record<string, unknown>).map(([name, value]) => {
    const numeric = ['number', 'integer'].includes(properties[name]?.type ?? '');
    return [name, numeric && /^\d+(\.\d+)?$/.test(String(value)) ? Number(value) : value];
  });
  return readRequest(schema, Object.fromEntries(values));
}

function refuseUnknown(schema: JsonSchema, value: Record<string, unknown>, at: string): void {
  const known = Object.keys(propertiesOf(schema));
  for (const [name, inner] of Object.entries(value)) {
    const path = at + name;
    if (!known.includes(name)) {
      const meant = closest(name, known);
      throw new RefusedRequest(
        `there is no field "${shortened(path)}"${meant === null ? '' : `; did you mean ${at}${meant}?`}`,
        shortened(path),
        known.map((field) => at + field).join(', '),
      );
    }
    const member = memberOf(schema, name);
    if (isObject(inner) && Object.keys(propertiesOf(member)).length > 0)
      refuseUnknown(member, inner, `${path}.`);
  }
}

/** Also of one that may be null. */
function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return schema.properties ?? schema.anyOf?.find((option) => option.properties)?.properties ?? {};
}

function memberOf(schema: JsonSchema, name: string): JsonSchema {
  const properties = propertiesOf(schema);
  return Object.hasOwn(properties, name) ? (properties[name] as JsonSchema) : {};
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function found(value: unknown): string {
  return value === undefined ? 'nothing' : shortened(JSON.stringify(value));
}

const shortened = (text: string): string =>
  text.length > FOUND_MAX_CHARS ? `${text.slice(0, FOUND_MAX_CHARS)}…` : text;
