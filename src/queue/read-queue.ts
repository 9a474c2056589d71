import { z } from 'zod';
import { type RolloutKey, rolloutId } from '../core/ids.js';
import { outcomeClass, type QueueState } from '../core/rollout/outcome.js';
import { standingOf } from '../records/review-state.js';
import { keys } from '../store/keys.js';
import { mapBounded } from '../store/map-bounded.js';
import { readChildren, readRecord } from '../store/records/records.js';
import { attemptRecordSchema, failureSchema, planSchema } from '../store/records/records.schema.js';
import { resolutionSchema } from '../store/records/replay.schema.js';
import { readResolutions } from '../store/replays.js';
import { listRuns, plannedRollouts, readResult, readRun } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';

export const QUEUE_STATES = [
  'retryable_failure',
  'terminal_failure',
  'needs_human_review',
  'success',
] as const satisfies readonly QueueState[];

/** A rollout in its queue. */
export const queueRowSchema = z.object({
  rolloutId: z.string(),
  state: z.enum(QUEUE_STATES),
  stopReason: z.string(),
  reward: z.number().nullable(),
  attempt: z.number().int(),
  attempts: z.number().int(),
  /** Whether it carries a score: then only a replay by name makes another attempt. */
  scored: z.boolean(),
  /** Whether its run is still trying. */
  open: z.boolean(),
  failure: failureSchema.nullable(),
  suspectedTampering: z.array(z.string()),
  resolution: resolutionSchema.nullable(),
});
export type QueueRow = z.infer<typeof queueRowSchema>;

/** The rollouts of one run, or of all runs, newest run first, each with the queue that it is in. */
export async function readQueue(store: ArtifactStore, runId: string | null): Promise<QueueRow[]> {
  const runs = runId === null ? await listRuns(store, () => undefined) : [await readRun(store, runId)];
  const rows: QueueRow[] = [];
  for (const run of runs) {
    const plan = await readRecord(store, planSchema, keys.plan(run.runId));
    if (plan === null) continue;
    const read = (key: RolloutKey) => readQueueRow(store, key);
    for await (const { result } of mapBounded(plannedRollouts(run.runId, plan), read))
      if (result !== null) rows.push(result);
  }
  return rows;
}

/** One rollout; null while it has come to nothing yet. */
export async function readQueueRow(store: ArtifactStore, key: RolloutKey): Promise<QueueRow | null> {
  const result = await readResult(store, key);
  if (result === null) return readRetried(store, key);
  const reviewed = result.queueState === 'needs_human_review';
  const { state, resolution } = standingOf(result, reviewed ? await readResolutions(store, key) : []);
  const { stopReason, reward, attempt, attempts, failure, suspectedTampering } = result;
  return {
    rolloutId: rolloutId(key),
    state,
    stopReason,
    reward,
    attempt,
    attempts,
    scored: outcomeClass(stopReason) === 'agent',
    open: false,
    failure,
    suspectedTampering,
    resolution,
  };
}

/** An open rollout whose newest attempt has failed: its run tries again by itself. */
async function readRetried(store: ArtifactStore, key: RolloutKey): Promise<QueueRow | null> {
  const ended = await readChildren(store, attemptRecordSchema, keys.attempts(key), 'attempt.json');
  const newest = ended.map(({ value }) => value).sort((a, b) => b.attempt - a.attempt)[0];
  if (newest === undefined) return null;
  return {
    rolloutId: rolloutId(key),
    state: 'retryable_failure',
    stopReason: newest.stopReason,
    reward: null,
    attempt: newest.attempt,
    attempts: ended.length,
    scored: false,
    open: true,
    failure: newest.failure,
    suspectedTampering: newest.suspectedTampering,
    resolution: null,
  };
}

/** How many rollouts each queue holds. */
export function countStates(rows: readonly QueueRow[]): Record<QueueState, number> {
  const counts = Object.fromEntries(QUEUE_STATES.map((state) => [state, 0])) as Record<QueueState, number>;
  for (const { state } of rows) counts[state] += 1;
  return counts;
}
