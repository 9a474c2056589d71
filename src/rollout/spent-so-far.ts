import type { AttemptKey, RolloutKey } from '../core/ids.js';
import { totalTokens } from '../core/usage.js';
import { keys } from '../store/keys.js';
import { mapBounded } from '../store/map-bounded.js';
import { plannedRollouts, readPlan, readResult, readTask } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';
import { readStepHistory } from './step-history.js';

interface Tally {
  tokens: number;
  costUsd: number;
}

/** What a run has spent according to its records: sealed rollouts by their results, open ones by their calls. */
export async function spentSoFar(store: ArtifactStore, runId: string): Promise<Tally> {
  const total: Tally = { tokens: 0, costUsd: 0 };
  const plan = await readPlan(store, runId);
  for await (const { result } of mapBounded(plannedRollouts(runId, plan), (key) => spentOn(store, key))) {
    total.tokens += result.tokens;
    total.costUsd += result.costUsd;
  }
  return total;
}

async function spentOn(store: ArtifactStore, key: RolloutKey): Promise<Tally> {
  const result = await readResult(store, key);
  if (result !== null) return { tokens: totalTokens(result.usage), costUsd: result.costUsd ?? 0 };
  const attempts = await store.children(keys.attempts(key));
  const total: Tally = { tokens: 0, costUsd: 0 };
  for (const attempt of attempts.map(Number)) await addAttempt(store, { ...key, attempt }, total);
  return total;
}

async function addAttempt(store: ArtifactStore, key: AttemptKey, total: Tally): Promise<void> {
  const task = await readTask(store, key.runId, key.taskId);
  for (const step of task.evalCriteria.steps.keys()) {
    const { usage, costUsd } = await readStepHistory(store, key, step);
    total.tokens += totalTokens(usage);
    total.costUsd += costUsd ?? 0;
  }
}
