import type { RunConfig } from '../run/run-config.schema.js';
import type { BudgetScope, Ceiling } from './budget.js';

export type BudgetSettings = Pick<
  RunConfig,
  | 'budgetTokens'
  | 'budgetUsd'
  | 'groupBudgetTokens'
  | 'groupBudgetUsd'
  | 'rolloutBudgetTokens'
  | 'rolloutBudgetUsd'
>;

/** The ceilings of a run's settings, by whose they are. */
export function ceilingsOf(config: BudgetSettings): Record<BudgetScope, Ceiling> {
  return {
    rollout: { tokens: config.rolloutBudgetTokens, costUsd: config.rolloutBudgetUsd },
    group: { tokens: config.groupBudgetTokens, costUsd: config.groupBudgetUsd },
    run: { tokens: config.budgetTokens, costUsd: config.budgetUsd },
  };
}

/** Whether any ceiling is in dollars: then calls of an unknown price cannot be judged. */
export function limitsMoney(config: BudgetSettings): boolean {
  return Object.values(ceilingsOf(config)).some(({ costUsd }) => costUsd !== null);
}
