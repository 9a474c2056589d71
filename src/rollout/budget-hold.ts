import { LongrunError } from '../core/errors.js';
import type { StopReason } from '../core/outcome.js';
import { SECOND_MS } from '../core/time.js';
import type { RunRecord } from '../store/records.schema.js';
import type { RolloutDeps } from './deps.js';
import { RetryLater } from './lifecycle.js';
import type { BudgetStop } from './run-budget.js';

const LOOK_AGAIN_MS = 30 * SECOND_MS;

export function isBudgetStop(reason: StopReason): reason is BudgetStop {
  return reason === 'token_budget' || reason === 'cost_budget';
}

/** Pauses the run and answers what to throw: rollouts that have not begun stay open until the budget is raised. */
export async function budgetHold(deps: RolloutDeps, run: RunRecord, stop: BudgetStop): Promise<RetryLater> {
  await deps.pauseRun(run.runId, stop);
  const reason = new LongrunError('internal', `the run's budget is spent (${stop}); it is paused`, {
    retryable: true,
  });
  return new RetryLater(reason, LOOK_AGAIN_MS);
}

/** Refuses a new rollout of a run whose budget has no room left for any call. */
export async function holdForBudget(deps: RolloutDeps, run: RunRecord): Promise<void> {
  const { budgetTokens, budgetUsd, agent } = run.config;
  if ((budgetTokens === null && budgetUsd === null) || agent !== 'tool-calling') return;
  const budget = await deps.budgets.of(run.runId, run.config);
  const smallest = deps.modelOf(run).bound({
    callId: '',
    model: run.config.model ?? '',
    messages: [],
    tools: [],
    temperature: null,
    maxTokens: run.config.maxTokens,
    seed: null,
    timeoutMs: run.config.modelTimeoutMs,
  });
  const stop = budget.refuses(smallest.promptTokens + smallest.completionTokens, smallest.costUsd);
  if (stop !== null) throw await budgetHold(deps, run, stop);
}
