import { addTally, NO_TALLY, type Tally } from '../../core/budget/budget.js';
import type { AttemptKey, RolloutKey } from '../../core/ids.js';
import { totalTokens, type Usage } from '../../core/rollout/usage.js';
import { keys } from '../../store/keys.js';
import { mapBounded } from '../../store/map-bounded.js';
import { readRecord } from '../../store/records/records.js';
import { attemptRecordSchema } from '../../store/records/records.schema.js';
import { plannedRollouts, readPlan, readTask } from '../../store/runs.js';
import type { ArtifactStore } from '../../store/store.js';
import { readStepHistory } from '../turns/step-history.js';
import { openIntents } from './lost-calls.js';

/** Of each, many turns are read at once. */
const PARALLEL_ROLLOUTS = 4;

/**
 * What a run has spent according to its records, or the rollouts of one task in it: attempts that
 * have ended by their records, open ones by their calls, those without an answer at their bounds.
 */
export async function spentSoFar(
  store: ArtifactStore,
  runId: string,
  taskId: string | null = null,
): Promise<Tally> {
  const plan = await readPlan(store, runId);
  const tasks = plan.tasks.filter((task) => taskId === null || task.taskId === taskId);
  let total = NO_TALLY;
  const planned = plannedRollouts(runId, { ...plan, tasks });
  const spent = mapBounded(planned, (key) => spentOnRollout(store, key), PARALLEL_ROLLOUTS);
  for await (const { result } of spent) total = addTally(total, result);
  return total;
}

/** The same for one rollout, over all its attempts. */
export async function spentOnRollout(store: ArtifactStore, key: RolloutKey): Promise<Tally> {
  let total = NO_TALLY;
  for (const attempt of await store.children(keys.attempts(key)))
    total = addTally(total, await spentOnAttempt(store, { ...key, attempt: Number(attempt) }));
  return total;
}

async function spentOnAttempt(store: ArtifactStore, key: AttemptKey): Promise<Tally> {
  const ended = await readRecord(store, attemptRecordSchema, keys.attemptRecord(key));
  if (ended !== null) return tallyOf(ended.usage, ended.costUsd);
  const task = await readTask(store, key.runId, key.taskId);
  let total = NO_TALLY;
  for (const step of task.evalCriteria.steps.keys()) {
    const { usage, costUsd } = await readStepHistory(store, key, step);
    total = addTally(addTally(total, tallyOf(usage, costUsd)), await inTheAir(store, key, step));
  }
  return total;
}

/** Only the last turn of a step can have a call in the air. */
async function inTheAir(store: ArtifactStore, key: AttemptKey, step: number): Promise<Tally> {
  const last = (await store.children(keys.turns(key, step))).map(Number).sort((a, b) => b - a)[0];
  if (last === undefined) return NO_TALLY;
  return (await openIntents(store, key, step, last)).reduce<Tally>(
    (total, { maxPromptTokens, maxCompletionTokens, maxCostUsd }) =>
      addTally(total, { tokens: maxPromptTokens + maxCompletionTokens, costUsd: maxCostUsd ?? 0 }),
    NO_TALLY,
  );
}

export function tallyOf(usage: Usage, costUsd: number | null): Tally {
  return { tokens: totalTokens(usage), costUsd: costUsd ?? 0 };
}
