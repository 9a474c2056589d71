import { keys } from './keys.js';
import { putRecordIfAbsent } from './records/records.js';
import { installationSchema } from './records/records.schema.js';
import type { ArtifactStore } from './store.js';

/** The id of this artifact store, made once: labels the sandboxes of its runs, so that no other installation reaps them. */
export async function clusterId(store: ArtifactStore, newId: () => string): Promise<string> {
  const stored = await putRecordIfAbsent(store, installationSchema, keys.installation, {
    schemaVersion: 1,
    clusterId: newId(),
  });
  return stored.value.clusterId;
}
