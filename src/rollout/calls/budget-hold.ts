import type { Tally } from '../../core/budget/budget.js';
import type { AttemptKey, RolloutKey } from '../../core/ids.js';
import type { BudgetHold } from '../../core/run/workflow-messages.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import type { RolloutDeps } from '../deps.js';
import type { Refusal } from './call-budget.js';

/** Thrown where a slice has to end because its attempt may not make its first call. */
export class BudgetHeld extends Error {
  constructor(readonly hold: BudgetHold) {
    super(`held back by the budget of the ${hold.scope}`);
    this.name = 'BudgetHeld';
  }
}

/**
 * Whether a new attempt of a rollout has to wait because no call of it fits under the budget of its
 * run or its group. Then it says nothing about its agent: it is held back, not scored.
 */
export async function heldByBudget(
  deps: RolloutDeps,
  run: RunRecord,
  key: RolloutKey,
): Promise<BudgetHold | null> {
  if (run.config.agent !== 'tool-calling') return null;
  const refusal = await (await deps.budgets.of(key, run.config)).refuses(smallestCall(deps, run));
  return refusal === null ? null : hold(deps, run, refusal);
}

/** What a refusal holds back; null when the rollout's own ceiling is what says no. */
export async function hold(deps: RolloutDeps, run: RunRecord, refusal: Refusal): Promise<BudgetHold | null> {
  const { scope, stop } = refusal;
  if (scope === 'rollout') return null;
  // Other groups go on when one has spent its budget; a run that has spent its own stops as a whole.
  if (scope === 'run') await deps.pauseRun(run.runId, stop);
  return { scope, stop };
}

/** The bound of a call with nothing in it: what does not fit under a ceiling of less. */
export function smallestCall(deps: RolloutDeps, run: RunRecord): Tally {
  const { model, maxTokens, seed, modelTimeoutMs } = run.config;
  const { promptTokens, completionTokens, costUsd } = deps.modelOf(run).bound({
    callId: '',
    model: model ?? '',
    messages: [],
    tools: [],
    temperature: null,
    maxTokens,
    seed,
    timeoutMs: modelTimeoutMs,
  });
  return { tokens: promptTokens + completionTokens, costUsd: costUsd ?? 0 };
}

/** Whether the rollout's own ceiling leaves room for any call of a new attempt. */
export async function mayCallAgain(deps: RolloutDeps, run: RunRecord, key: AttemptKey): Promise<boolean> {
  if (run.config.agent !== 'tool-calling') return true;
  const refusal = await (await deps.budgets.of(key, run.config)).refuses(smallestCall(deps, run));
  return refusal?.scope !== 'rollout';
}
