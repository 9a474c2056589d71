import { createHash } from 'node:crypto';
import { LongrunError } from '../core/errors.js';
import type { BlobRef } from '../core/rollout/task.schema.js';
import { keys } from './keys.js';
import type { ArtifactStore } from './store.js';

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Stores bytes under their digest; the same bytes are stored once. */
export async function putBlob(store: ArtifactStore, bytes: Uint8Array): Promise<BlobRef> {
  const sha256 = digestOf(bytes);
  await store.putIfAbsent(keys.blob(sha256), bytes);
  return { sha256, bytes: bytes.length };
}

/** The bytes behind a reference, checked against its digest. Errors: `not_found`, `record_invalid`. */
export async function loadBlob(store: ArtifactStore, ref: BlobRef): Promise<Uint8Array> {
  const key = keys.blob(ref.sha256);
  const bytes = await store.get(key);
  if (bytes === null) {
    throw new LongrunError('not_found', `${store.locate(key)} is missing`, {
      hint: 'It holds files of a task of this run: restore the folder, or start the run again.',
      details: { ...ref },
    });
  }
  const found = digestOf(bytes);
  if (found !== ref.sha256) {
    throw new LongrunError('record_invalid', `${store.locate(key)} holds other bytes than its name says`, {
      hint: 'The file was changed or damaged: remove it and start the run again.',
      details: { expected: ref.sha256, found },
    });
  }
  return bytes;
}
