import { LongrunError } from '../core/errors.js';
import { keys } from './keys.js';
import { putRecordIfAbsent, readRecord } from './records/records.js';
import { incarnationSchema } from './records/records.schema.js';
import type { ArtifactStore } from './store.js';

/** Recorded only from the second on: a run that was never recovered has this one. */
const FIRST_INCARNATION = 1;
const NAME = /^(\d+)\.json$/;

/** The current incarnation of a run's workflows; 1 until `runs recover` raises it. */
export async function readIncarnation(store: ArtifactStore, runId: string): Promise<number> {
  const names = await store.children(keys.incarnations(runId));
  return names.reduce((top, name) => Math.max(top, Number(NAME.exec(name)?.[1] ?? 0)), FIRST_INCARNATION);
}

/** Claims the next incarnation for one caller. Throws `already_exists` when another raised it at the same time. */
export async function raiseIncarnation(
  store: ArtifactStore,
  runId: string,
  now: () => number,
): Promise<number> {
  const incarnation = (await readIncarnation(store, runId)) + 1;
  const { won } = await putRecordIfAbsent(store, incarnationSchema, keys.incarnation(runId, incarnation), {
    schemaVersion: 1,
    incarnation,
    raisedAt: now(),
  });
  if (won) return incarnation;
  throw new LongrunError('already_exists', `run ${runId} is being recovered by another process`, {
    hint: `Wait for it to finish, then look with: longrun runs show ${runId}`,
    details: { runId, incarnation },
  });
}

/** When the run was last recovered, epoch ms; null when it never was. */
export async function lastRecoveredAt(store: ArtifactStore, runId: string): Promise<number | null> {
  const incarnation = await readIncarnation(store, runId);
  const record = await readRecord(store, incarnationSchema, keys.incarnation(runId, incarnation));
  return record?.raisedAt ?? null;
}
