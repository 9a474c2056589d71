import { LongrunError } from '../core/errors.js';
import type { RolloutKey } from '../core/ids.js';
import type { Episode } from '../core/trajectory/episode.schema.js';
import { REWARD_QUALITY, type RewardSignal } from '../core/trajectory/reward-signal.schema.js';
import { trajectorySchema } from '../core/trajectory/trajectory.schema.js';
import { withAdvantages } from '../formats/advantages.js';
import { episodeFromRecords } from '../formats/episode.js';
import { keys } from '../store/keys.js';
import { feedbackSchema } from '../store/records/feedback.schema.js';
import { readChildren, readRecord } from '../store/records/records.js';
import type { RolloutResult, RunRecord } from '../store/records/records.schema.js';
import { iterateResults, readPlan, readRun, readTask, trajectoryKey } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';
import { readMembership } from './read-group.js';
import { readTrial } from './read-trial.js';

/** The finished rollouts of a run in the order of its plan, one at a time; groups are contiguous. Errors: `not_found`. */
export async function* episodesOfRun(store: ArtifactStore, runId: string): AsyncGenerator<Episode> {
  const run = await readRun(store, runId);
  const plan = await readPlan(store, runId);
  for await (const result of iterateResults(store, runId, plan)) yield readEpisode(store, run, result);
}

/**
 * The episode of the attempt of a result. Advantages and returns come from the record of its group: a trajectory
 * is sealed with its rollout, before the group that compares it with its siblings is closed, and stays as it was
 * sealed (a late executor could write it once more, without them). Errors: `not_found` where its trajectory is
 * gone.
 */
export async function readEpisode(
  store: ArtifactStore,
  run: RunRecord,
  result: RolloutResult,
): Promise<Episode> {
  const key = trajectoryKey(run.runId, result);
  const task = await readTask(store, run.runId, result.taskId);
  const [trial, trajectory, feedback, membership] = await Promise.all([
    readTrial(store, run.runId, task, result),
    readRecord(store, trajectorySchema, key),
    readFeedback(store, { runId: run.runId, taskId: result.taskId, sample: result.sample }),
    readMembership(store, run, result),
  ]);
  if (trajectory === null)
    throw new LongrunError('not_found', `${store.locate(key)} is missing`, {
      hint: 'Something other than longrun removed it: the turns of the attempt are still there.',
    });
  const timesteps =
    membership === null
      ? trajectory.timesteps
      : withAdvantages(trajectory.timesteps, membership.member.advantages, run.config.gamma);
  return episodeFromRecords(run, trial, { ...trajectory, timesteps }, feedback);
}

/** What people said of a rollout, oldest first. */
export async function readFeedback(store: ArtifactStore, rollout: RolloutKey): Promise<RewardSignal[]> {
  const found = await readChildren(store, feedbackSchema, keys.feedbacks(rollout));
  return found.map(({ value: { value, by, at, note } }) => ({
    source: 'user',
    quality: REWARD_QUALITY.user,
    value,
    shape: null,
    parts: null,
    by,
    at,
    note,
  }));
}
