import { keys } from '../../store/keys.js';
import { readRecord, writeRecord } from '../../store/records/records.js';
import type { ArtifactStore } from '../../store/store.js';
import { listenAddressSchema } from './listener.schema.js';

const addressKey = (runId: string): string => `${keys.sink(runId, 'listen')}/address.json`;

/** Where the listener of a run can be reached, as it said last; null before it has ever listened. */
export async function readListenAddress(store: ArtifactStore, runId: string): Promise<string | null> {
  return (await readRecord(store, listenAddressSchema, addressKey(runId)))?.url ?? null;
}

export function writeListenAddress(
  store: ArtifactStore,
  runId: string,
  url: string,
  at: number,
): Promise<void> {
  return writeRecord(store, listenAddressSchema, addressKey(runId), { schemaVersion: 1, url, at });
}
