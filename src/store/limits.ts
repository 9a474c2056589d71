import { amendedConfig, type LimitChanges } from '../core/run/limits.js';
import { keys } from './keys.js';
import { type Amendment, amendmentSchema } from './records/limits.schema.js';
import { putRecordIfAbsent, readChildren } from './records/records.js';
import type { RunRecord } from './records/records.schema.js';
import type { ArtifactStore } from './store.js';

/** The run as its amendments have changed it. */
export async function withAmendments(store: ArtifactStore, run: RunRecord): Promise<RunRecord> {
  const amendments = await readAmendments(store, run.runId);
  return amendments.length === 0 ? run : { ...run, config: amendedConfig(run.config, amendments) };
}

/** Changes of a run's limits, oldest first. */
export async function readAmendments(store: ArtifactStore, runId: string): Promise<Amendment[]> {
  return (await readChildren(store, amendmentSchema, keys.limits(runId))).map(({ value }) => value);
}

/** Which change of its limits a run is at; 0 before the first. */
export async function limitsVersion(store: ArtifactStore, runId: string): Promise<number> {
  const names = await store.children(keys.limits(runId));
  return names.reduce((top, name) => Math.max(top, Number.parseInt(name, 10) || 0), 0);
}

/** Appends a change; two at the same time both count, in the order of their numbers. */
export async function amendLimits(
  store: ArtifactStore,
  runId: string,
  changes: LimitChanges,
  now: () => number,
): Promise<Amendment> {
  for (;;) {
    const n = (await limitsVersion(store, runId)) + 1;
    const own: Amendment = { schemaVersion: 1, n, amendedAt: now(), ...changes };
    const { won, value } = await putRecordIfAbsent(store, amendmentSchema, keys.amendment(runId, n), own);
    if (won) return value;
  }
}
