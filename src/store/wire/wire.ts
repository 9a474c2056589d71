import { z } from 'zod';
import { LongrunError } from '../../core/errors.js';
import { migrateWire } from '../records/migrations.js';
import { renameKeys, wirePath } from './wire-walk.js';

const FOUND_MAX_CHARS = 80;

/** The snake-case JSON value of a record; checked, so that a broken record is never written or sent. */
export function toWire<S extends z.ZodType>(schema: S, value: z.input<S>, where = 'record'): unknown {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalid(schema, value, parsed.error, where);
  return renameKeys(schema, parsed.data, 'toWire');
}

/**
 * Reads a snake-case JSON value into a record. Keys that the schema does not know are dropped.
 * Errors: `record_newer` for a later `schema_version`, `record_invalid` naming path, found and accepted.
 */
export function fromWire<S extends z.ZodType>(schema: S, wire: unknown, where = 'record'): z.output<S> {
  refuseNewer(schema, wire, where);
  const value = renameKeys(schema, migrateWire(schema, wire), 'fromWire');
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalid(schema, value, parsed.error, where);
  return parsed.data;
}

/** The bytes of a record as they are stored: indented JSON, for people to read. */
export function encodeRecord<S extends z.ZodType>(
  schema: S,
  value: z.input<S>,
  where = 'record',
): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(toWire(schema, value, where), null, 2)}\n`);
}

/** Reads the bytes of a record. `where` (a key or path) is named in the errors of `fromWire`. */
export function decodeRecord<S extends z.ZodType>(schema: S, bytes: Uint8Array, where: string): z.output<S> {
  let wire: unknown;
  try {
    wire = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new LongrunError('record_invalid', `${where} is not JSON: ${(cause as Error).message}`, {
      hint: 'The file was changed by something other than longrun; restore it or remove it.',
      cause,
      details: { where },
    });
  }
  return fromWire(schema, wire, where);
}

function refuseNewer(schema: z.ZodType, wire: unknown, where: string): void {
  const accepted = acceptedVersions(schema);
  const found = (wire as { schema_version?: unknown } | null)?.schema_version;
  if (accepted.length === 0 || typeof found !== 'number' || found <= Math.max(...accepted)) return;
  throw new LongrunError(
    'record_newer',
    `${where} has schema_version ${found}; this longrun reads up to ${Math.max(...accepted)}`,
    {
      hint: 'It was written by a newer longrun: upgrade this one.',
      details: { where, found, accepted },
    },
  );
}

function acceptedVersions(schema: z.ZodType): number[] {
  const object = schema instanceof z.ZodReadonly ? schema.unwrap() : schema;
  const declared = object instanceof z.ZodObject ? object.shape.schemaVersion : undefined;
  const version = declared instanceof z.ZodDefault ? declared.unwrap() : declared;
  return version instanceof z.ZodLiteral
    ? [...version.values].filter((v): v is number => typeof v === 'number')
    : [];
}

function invalid(schema: z.ZodType, value: unknown, error: z.ZodError, where: string): LongrunError {
  const issues = error.issues.slice(0, 5).map((issue) => {
    const path = wirePath(schema, issue.path) || '(whole)';
    return {
      path,
      found: describe(valueAt(value, issue.path)),
      accepted: issue.message,
    };
  });
  const text = issues.map(({ path, found, accepted }) => `${path}: found ${found}; ${accepted}`).join('; ');
  return new LongrunError('record_invalid', `${where} is not valid: ${text}`, {
    hint: 'The record does not have the shape that this version of longrun reads.',
    details: { where, issues },
  });
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (at as Record<PropertyKey, unknown> | null | undefined)?.[name],
    value,
  );
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > FOUND_MAX_CHARS ? `${text.slice(0, FOUND_MAX_CHARS)}…` : text;
}
