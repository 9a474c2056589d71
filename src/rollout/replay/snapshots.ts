import { LongrunError } from '../../core/errors.js';
import type { RolloutKey } from '../../core/ids.js';
import type { Task } from '../../core/rollout/task.schema.js';
import type { SandboxDriver } from '../../sandbox/sandbox.js';
import { loadBlob, putBlob } from '../../store/blobs.js';
import { keys } from '../../store/keys.js';
import { putRecordIfAbsent, readRecord } from '../../store/records/records.js';
import {
  type Provenance,
  type SnapshotRecord,
  snapshotRecordSchema,
} from '../../store/records/replay.schema.js';
import { readForkOrigin } from '../../store/replays.js';
import type { AttemptContext } from '../attempt-context.js';
import type { RolloutDeps } from '../deps.js';

/**
 * Keeps the file system of the sandbox as it is now, once, under `key`. Where the driver makes no
 * snapshots, or this one fails, nothing is kept: a replay then executes the commands again.
 */
export async function keepSnapshot(context: AttemptContext, key: string): Promise<void> {
  const { deps, sandbox, guard } = context;
  if (!sandbox.snapshot || (await deps.store.has(key))) return;
  await guard();
  try {
    const changed = await sandbox.changedPaths();
    const kept = await sandbox.snapshot();
    const files = kept.files === null ? null : await putBlob(deps.store, kept.files);
    const record: SnapshotRecord = {
      schemaVersion: 1,
      driver: sandbox.ref.driver,
      hostId: files === null ? deps.hostId : null,
      image: kept.image,
      files,
      changed,
      createdAt: deps.now(),
    };
    await putRecordIfAbsent(deps.store, snapshotRecordSchema, key, record);
  } catch (error) {
    if (!LongrunError.is(error) || ['fenced', 'cancelled', 'sandbox_gone'].includes(error.code)) throw error;
    deps.logger.warn({ err: error, key }, 'the sandbox could not be kept as a snapshot');
  }
}

/** The sandbox of a task with several steps has been tested in between: one state of it cannot stand for all. */
export function bearsSnapshots(task: Task): boolean {
  return task.evalCriteria.steps.length === 1;
}

/** The snapshot that an attempt can start from instead of executing its source's commands again; null = none. */
export async function snapshotFor(
  deps: RolloutDeps,
  rollout: RolloutKey,
  task: Task,
  provenance: Provenance,
): Promise<SnapshotRecord | null> {
  if (!bearsSnapshots(task)) return null;
  if (provenance.mode === 'fork') return forkSnapshot(deps, rollout);
  if (provenance.mode !== 'verify') return null;
  return readRecord(deps.store, snapshotRecordSchema, keys.finalSnapshot(provenance.source, 0));
}

async function forkSnapshot(deps: RolloutDeps, rollout: RolloutKey): Promise<SnapshotRecord | null> {
  const origin = await readForkOrigin(deps.store, rollout);
  if (origin === null) return null;
  return readRecord(
    deps.store,
    snapshotRecordSchema,
    keys.forkSnapshot({ ...rollout, sample: origin.leader }),
  );
}

/** The image to create a sandbox from; null where this host does not have the snapshot (any more). */
export async function prepareSnapshot(
  deps: RolloutDeps,
  driver: SandboxDriver,
  { files, driver: madeBy, hostId, image }: SnapshotRecord,
): Promise<string | null> {
  if (!driver.prepareSnapshot || madeBy !== driver.name) return null;
  if (hostId !== null && hostId !== deps.hostId) return null;
  try {
    return await driver.prepareSnapshot(image, () =>
      files === null ? Promise.resolve(new Uint8Array()) : loadBlob(deps.store, files),
    );
  } catch (error) {
    if (LongrunError.is(error, 'image_missing') || LongrunError.is(error, 'not_found')) return null;
    throw error;
  }
}
