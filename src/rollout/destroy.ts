import type { AttemptKey } from '../core/ids.js';
import type { SandboxRef } from '../sandbox/sandbox.js';
import { keys } from '../store/keys.js';
import { readRecord } from '../store/records/records.js';
import { placementSchema, verifierSandboxSchema } from '../store/records/records.schema.js';
import type { RolloutDeps } from './deps.js';

/** Removes every sandbox an attempt has on this host; idempotent. */
export async function destroySandboxes(deps: RolloutDeps, key: AttemptKey): Promise<void> {
  const refs = await recordedSandboxes(deps, key);
  await Promise.all(
    refs.map(async (ref) => {
      const sandbox = await deps.drivers.get(ref.driver)?.adopt(ref);
      await sandbox?.destroy();
      deps.ledgers.of(ref.driver).drop(ref.id);
    }),
  );
}

async function recordedSandboxes(deps: RolloutDeps, key: AttemptKey): Promise<SandboxRef[]> {
  const placement = await readRecord(deps.store, placementSchema, keys.placement(key));
  const steps = await deps.store.children(`${keys.attempt(key)}/steps`);
  const verifiers = await Promise.all(
    steps.map((step) =>
      readRecord(deps.store, verifierSandboxSchema, keys.verifierSandbox(key, Number(step))),
    ),
  );
  return [placement, ...verifiers].flatMap((record) => (record === null ? [] : [record.sandbox]));
}
