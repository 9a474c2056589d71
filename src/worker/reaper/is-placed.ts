import type { SandboxInfo } from '../../sandbox/sandbox.js';
import { keys } from '../../store/keys.js';
import { readRecord } from '../../store/records/records.js';
import { placementSchema, verifierSandboxSchema } from '../../store/records/records.schema.js';
import type { ArtifactStore } from '../../store/store.js';

/** Whether a record of its attempt names this sandbox; null when the store does not answer. */
export async function isPlaced(store: ArtifactStore, { ref, owner }: SandboxInfo): Promise<boolean | null> {
  try {
    const placement = await readRecord(store, placementSchema, keys.placement(owner));
    if (owner.role === 'agent') return placement?.sandbox.id === ref.id;
    const steps = await store.children(`${keys.attempt(owner)}/steps`);
    const records = await Promise.all(
      steps.map((step) =>
        readRecord(store, verifierSandboxSchema, keys.verifierSandbox(owner, Number(step))),
      ),
    );
    return records.some((record) => record?.sandbox.id === ref.id);
  } catch {
    return null;
  }
}
