import { z } from 'zod';
import { mapBounded } from '../store/map-bounded.js';
import { type RolloutResult, type RunRecord, rolloutResultSchema } from '../store/records/records.schema.js';
import { type ReplayMember, type ReplayRecord, replayRecordSchema } from '../store/records/replay.schema.js';
import { readAllResults, readClosedReplay, readReplayResult } from '../store/replays.js';
import type { ArtifactStore } from '../store/store.js';
import { whichCounts } from '../store/which-counts.js';

/** What one new attempt came to, beside what the rollout was before. */
export const replayRowSchema = z.object({
  rolloutId: z.string(),
  nth: z.number().int(),
  before: z.object({ attempt: z.number().int(), stopReason: z.string(), reward: z.number().nullable() }),
  /** Null while it is open. */
  result: rolloutResultSchema.nullable(),
  /** The attempt of the rollout that counts now. */
  countingAttempt: z.number().int(),
  counts: z.boolean(),
});
export type ReplayRow = z.infer<typeof replayRowSchema>;

export const replayReportSchema = z.object({
  replay: replayRecordSchema.extend({ status: z.enum(['open', 'finished', 'cancelled']) }),
  passThreshold: z.number(),
  rollouts: z.array(replayRowSchema),
});
export type ReplayReport = z.infer<typeof replayReportSchema>;

/** What a replay has come to, read from the store. */
export async function reportReplay(
  store: ArtifactStore,
  run: RunRecord,
  replay: ReplayRecord,
): Promise<ReplayReport> {
  const closed = await readClosedReplay(store, run.runId, replay.replayId);
  const rollouts: ReplayRow[] = [];
  for await (const { result } of mapBounded(replay.members, (member) => rowOf(store, replay, member)))
    if (result !== null) rollouts.push(result);
  const status = closed?.status ?? 'open';
  return { replay: { ...replay, status }, passThreshold: run.config.passThreshold, rollouts };
}

async function rowOf(
  store: ArtifactStore,
  { runId, replayId }: ReplayRecord,
  { taskId, sample, nth }: ReplayMember,
): Promise<ReplayRow | null> {
  const rollout = { runId, taskId, sample };
  const all = await readAllResults(store, rollout);
  if (all === null) return null;
  const result = await readReplayResult(store, rollout, { replayId, nth });
  const counting = whichCounts(all.sealed, all.replays);
  return {
    rolloutId: all.sealed.rolloutId,
    nth,
    before: beforeOf(all.sealed),
    result,
    countingAttempt: counting.attempt,
    counts: result !== null && counting.attempt === result.attempt,
  };
}

const beforeOf = ({ attempt, stopReason, reward }: RolloutResult): ReplayRow['before'] => ({
  attempt,
  stopReason,
  reward,
});
