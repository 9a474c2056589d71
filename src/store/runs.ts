import { LongrunError } from '../core/errors.js';
import { ID_PATTERN, type RolloutKey } from '../core/ids.js';
import { type Task, taskSchema } from '../core/rollout/task.schema.js';
import { keys } from './keys.js';
import { withAmendments } from './limits.js';
import { mapBounded } from './map-bounded.js';
import { readChildren, readRecord } from './records/records.js';
import {
  type Plan,
  planSchema,
  type RolloutResult,
  type RunRecord,
  rolloutResultSchema,
  runRecordSchema,
} from './records/records.schema.js';
import { growPlan } from './shifts.js';
import type { ArtifactStore } from './store.js';
import { whichCounts } from './which-counts.js';

/**
 * All runs of the store, newest first. A run whose record cannot be read is handed to `onBroken`
 * and left out, so that one damaged run does not hide the others; without `onBroken` it is an error.
 */
export async function listRuns(
  store: ArtifactStore,
  onBroken?: (runId: string, error: LongrunError) => void,
): Promise<RunRecord[]> {
  const runs: RunRecord[] = [];
  const read = async (runId: string): Promise<RunRecord | null> => {
    try {
      return await readRecord(store, runRecordSchema, keys.run(runId));
    } catch (error) {
      if (!onBroken || !(LongrunError.is(error, 'record_invalid') || LongrunError.is(error, 'record_newer')))
        throw error;
      onBroken(runId, error);
      return null;
    }
  };
  for await (const { result } of mapBounded(await store.children(keys.runs), read))
    if (result) runs.push(result);
  return runs.sort((a, b) => b.createdAt - a.createdAt || (a.runId < b.runId ? 1 : -1));
}

/** A run with the limits it has now. Throws `not_found`, naming the newest runs, when there is no such run. */
export async function readRun(store: ArtifactStore, runId: string): Promise<RunRecord> {
  // What a person types may be no id at all, such as a path.
  const run = ID_PATTERN.test(runId) ? await readRecord(store, runRecordSchema, keys.run(runId)) : null;
  if (run) return withAmendments(store, run);
  const newest = (await listRuns(store, () => undefined)).slice(0, 3).map((known) => known.runId);
  const hint =
    newest.length === 0 ? 'There are no runs in this state folder.' : `The newest runs: ${newest.join(', ')}`;
  throw new LongrunError('not_found', `no run is called ${JSON.stringify(runId)}`, {
    hint,
    details: { runId },
  });
}

/** Which tasks a run has, and how many samples of each: of a run that serves, as many as it has come to by now. */
export async function readPlan(store: ArtifactStore, runId: string): Promise<Plan> {
  const plan = required(await readRecord(store, planSchema, keys.plan(runId)), store, keys.plan(runId));
  return plan.tasks.every(({ samples }) => samples === 0) ? growPlan(store, runId, plan) : plan;
}

/** A task as the run froze it when it started. */
export async function readTask(store: ArtifactStore, runId: string, taskId: string): Promise<Task> {
  const key = keys.task(runId, taskId);
  return required(await readRecord(store, taskSchema, key), store, key);
}

/** The rollouts that a plan asks for, tasks in order, samples of a task in a row. */
export function* plannedRollouts(runId: string, plan: Plan): Generator<RolloutKey> {
  for (const { taskId, samples } of plan.tasks) {
    for (let sample = 0; sample < samples; sample++) yield { runId, taskId, sample };
  }
}

/** The results that exist so far, in the order of the plan. */
export async function* iterateResults(
  store: ArtifactStore,
  runId: string,
  plan: Plan,
): AsyncGenerator<RolloutResult> {
  const read = (rollout: RolloutKey) => readResult(store, rollout);
  for await (const { result } of mapBounded(plannedRollouts(runId, plan), read)) if (result) yield result;
}

/** All results that exist so far, in the order of the plan. */
export async function readResults(store: ArtifactStore, runId: string, plan: Plan): Promise<RolloutResult[]> {
  const results: RolloutResult[] = [];
  for await (const result of iterateResults(store, runId, plan)) results.push(result);
  return results;
}

/** The result of a rollout that counts: the one that sealed it, or a replay's in its place. Null while it is open. */
export async function readResult(store: ArtifactStore, rollout: RolloutKey): Promise<RolloutResult | null> {
  const sealed = await readSealedResult(store, rollout);
  // Of a scored outcome no replay takes the place: nothing more has to be read.
  if (sealed === null || sealed.reward !== null) return sealed;
  const replays = await readChildren(store, rolloutResultSchema, keys.replayResults(rollout));
  return whichCounts(
    sealed,
    replays.map(({ value }) => value),
  );
}

/** The result that sealed a rollout, whatever its replays came to; null while it is open. */
export function readSealedResult(store: ArtifactStore, rollout: RolloutKey): Promise<RolloutResult | null> {
  return readRecord(store, rolloutResultSchema, keys.result(rollout));
}

/** Where the trajectory of a result is. */
export function trajectoryKey(runId: string, result: RolloutResult): string {
  const { taskId, sample, attempt, replay } = result;
  const rollout = { runId, taskId, sample };
  const ownPlace = replay !== null && replay.mode !== 'fork';
  return ownPlace ? keys.attemptTrajectory({ ...rollout, attempt }) : keys.trajectory(rollout);
}

function required<T>(value: T | null, store: ArtifactStore, key: string): T {
  if (value !== null) return value;
  throw new LongrunError('not_found', `${store.locate(key)} is missing`, {
    hint: 'The run was not planned to its end, or its folder was changed: start it again.',
    details: { key },
  });
}
