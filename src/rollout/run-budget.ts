import type { RunConfig } from '../core/run-config.schema.js';
import { totalTokens, type Usage } from '../core/usage.js';

export type BudgetStop = 'token_budget' | 'cost_budget';

interface Tally {
  tokens: number;
  costUsd: number;
}

/**
 * What this process has spent and reserved for one run, against the run's ceiling. A call reserves
 * its bound before it is made and settles to what it really took, so concurrent calls cannot all
 * slip under the same last dollar.
 */
export class RunBudget {
  private readonly spent: Tally;
  private readonly reserved: Tally = { tokens: 0, costUsd: 0 };

  constructor(
    private readonly limits: Pick<RunConfig, 'budgetTokens' | 'budgetUsd'>,
    spentBefore: Tally,
  ) {
    this.spent = { ...spentBefore };
  }

  /** Null when the call fits, and then its bound is reserved. */
  reserve(tokens: number, costUsd: number | null): BudgetStop | null {
    const { budgetTokens, budgetUsd } = this.limits;
    if (budgetTokens !== null && this.spent.tokens + this.reserved.tokens + tokens > budgetTokens)
      return 'token_budget';
    const cost = costUsd ?? 0;
    if (budgetUsd !== null && this.spent.costUsd + this.reserved.costUsd + cost > budgetUsd)
      return 'cost_budget';
    this.reserved.tokens += tokens;
    this.reserved.costUsd += cost;
    return null;
  }

  settle(reserved: { tokens: number; costUsd: number | null }, usage: Usage, costUsd: number | null): void {
    this.reserved.tokens -= reserved.tokens;
    this.reserved.costUsd -= reserved.costUsd ?? 0;
    this.spent.tokens += totalTokens(usage);
    this.spent.costUsd += costUsd ?? 0;
  }

  /** Whether nothing is left at all: new rollouts are held back. */
  get exhausted(): BudgetStop | null {
    const { budgetTokens, budgetUsd } = this.limits;
    if (budgetTokens !== null && this.spent.tokens >= budgetTokens) return 'token_budget';
    if (budgetUsd !== null && this.spent.costUsd >= budgetUsd) return 'cost_budget';
    return null;
  }
}

/** The budgets of the runs this process works on, each summed up from the records once. */
export class RunBudgets {
  private readonly byRun = new Map<string, Promise<RunBudget>>();

  constructor(private readonly spentSoFar: (runId: string) => Promise<Tally>) {}

  of(runId: string, config: RunConfig): Promise<RunBudget> {
    const known = this.byRun.get(runId);
    if (known) return known;
    const unlimited = config.budgetTokens === null && config.budgetUsd === null;
    const spent = unlimited ? Promise.resolve({ tokens: 0, costUsd: 0 }) : this.spentSoFar(runId);
    const budget = spent.then((tally) => new RunBudget(config, tally));
    this.byRun.set(runId, budget);
    budget.catch(() => this.byRun.delete(runId));
    return budget;
  }
}
