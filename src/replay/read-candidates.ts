import type { RolloutKey } from '../core/ids.js';
import { outcomeClass } from '../core/rollout/outcome.js';
import { readClosedRun } from '../records/write-summary.js';
import { readSteps } from '../rollout/attempt-record.js';
import { isComplete } from '../rollout/turns/step-history.js';
import { mapBounded } from '../store/map-bounded.js';
import type { RolloutResult, RunRecord } from '../store/records/records.schema.js';
import type { ReplayRequest } from '../store/records/replay.schema.js';
import { plannedRollouts, readPlan, readResult, readTask } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';
import { selectTasks } from '../tasks/select-tasks.js';
import { cancelledUnstarted } from './cancelled-unstarted.js';
import { namedRollouts } from './named-rollouts.js';
import type { Candidate } from './select-members.js';

/** The rollouts of a run that a request names, with what decides whether they can be replayed. */
export async function readCandidates(
  store: ArtifactStore,
  { runId, config }: RunRecord,
  request: ReplayRequest,
): Promise<Candidate[]> {
  const plan = await readPlan(store, runId);
  const named = namedRollouts(runId, [...plannedRollouts(runId, plan)], request.rollouts);
  const chosen = new Set(
    selectTasks(plan.tasks, { globs: request.tasks, limit: null }).map(({ taskId }) => taskId),
  );
  const closed = await readClosedRun(store, runId);
  const candidates: Candidate[] = [];
  // What a cancelled run never started was cancelled with it.
  const read = async (key: RolloutKey) =>
    (await readResult(store, key)) ?? (closed === null ? null : cancelledUnstarted(key, config, 0));
  const both = named.filter(({ taskId }) => chosen.has(taskId));
  for await (const { item, result } of mapBounded(both, read))
    if (matches(request, result)) candidates.push(await candidateOf(store, item, result));
  return candidates;
}

function matches({ failed, stopReasons }: ReplayRequest, result: RolloutResult | null): boolean {
  if (result === null) return stopReasons.length === 0;
  const isFailed = outcomeClass(result.stopReason) !== 'agent';
  return (!failed || isFailed) && (stopReasons.length === 0 || stopReasons.includes(result.stopReason));
}

async function candidateOf(
  store: ArtifactStore,
  key: RolloutKey,
  result: RolloutResult | null,
): Promise<Candidate> {
  const { taskId, sample } = key;
  if (result === null) return { taskId, sample, result, completeTurns: 0, agentEnded: false };
  const task = await readTask(store, key.runId, taskId);
  const steps = await readSteps(store, { ...key, attempt: result.attempt }, task);
  return {
    taskId,
    sample,
    result,
    completeTurns: steps.reduce((sum, { history }) => sum + history.turns.filter(isComplete).length, 0),
    agentEnded:
      steps.length > 0 && steps.every(({ end }) => end !== null && outcomeClass(end.stopReason) === 'agent'),
  };
}
