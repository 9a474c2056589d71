import type { z } from 'zod';
import { LongrunError } from '../../core/errors.js';
import { mapBounded } from '../map-bounded.js';
import type { ArtifactStore, Durability } from '../store.js';
import { decodeRecord, encodeRecord } from '../wire/wire.js';

/**
 * The record under a key, or null. An empty file counts as none: a power cut may leave one in place
 * of a record that was only to outlive its process. Errors: `record_invalid`, `record_newer`, those of the store. */
export async function readRecord<S extends z.ZodType>(
  store: ArtifactStore,
  schema: S,
  key: string,
): Promise<z.output<S> | null> {
  const bytes = await store.get(key);
  return bytes === null || bytes.length === 0 ? null : decodeRecord(schema, bytes, store.locate(key));
}

/** Replaces the record under a key. */
export async function writeRecord<S extends z.ZodType>(
  store: ArtifactStore,
  schema: S,
  key: string,
  value: z.input<S>,
): Promise<void> {
  await store.put(key, encodeRecord(schema, value, key));
}

/** What counts from now on: the own value when `won`, else the one that was stored first. */
export interface PutOutcome<T> {
  won: boolean;
  value: T;
}

/** Writes a record unless the key has one; whoever loses goes on with the stored record. */
export async function putRecordIfAbsent<S extends z.ZodType>(
  store: ArtifactStore,
  schema: S,
  key: string,
  value: z.input<S>,
  durability?: Durability,
): Promise<PutOutcome<z.output<S>>> {
  const bytes = encodeRecord(schema, value, key);
  // Both answers are read back from bytes, so that a record looks the same to whoever wrote it and to the next.
  if (await store.putIfAbsent(key, bytes, durability))
    return { won: true, value: decodeRecord(schema, bytes, key) };
  const stored = await readRecord(store, schema, key);
  if (stored === null) {
    throw new LongrunError('store_unavailable', `${key} was there and is gone`, {
      retryable: true,
      hint: 'Something else removes records of this run while it is running.',
    });
  }
  return { won: false, value: stored };
}

/**
 * The records of all direct children of a prefix, in the order of their names. `file` names the
 * record within each child when the children are folders; children without it are left out.
 */
export async function readChildren<S extends z.ZodType>(
  store: ArtifactStore,
  schema: S,
  prefix: string,
  file?: string,
): Promise<{ name: string; value: z.output<S> }[]> {
  const names = await store.children(prefix);
  const found: { name: string; value: z.output<S> }[] = [];
  const read = (name: string) =>
    readRecord(store, schema, `${prefix}/${name}${file === undefined ? '' : `/${file}`}`);
  for await (const { item, result } of mapBounded(names, read)) {
    if (result !== null) found.push({ name: item, value: result });
  }
  return found;
}
