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

  /**
   * Null when the call fits, and then its bound is reserved. `wait`: it fits once calls in flight
   * have settled to less than their bounds.
   */
  reserve(tokens: number, costUsd: number | null): BudgetStop | 'wait' | null {
    const refused = this.refuses(tokens, costUsd);
    if (refused !== null) return refused;
    const cost = costUsd ?? 0;
    if (
      overrun(
        this.limits,
        this.spent.tokens + this.reserved.tokens + tokens,
        this.spent.costUsd + this.reserved.costUsd + cost,
      )
    )
      return 'wait';
    this.reserved.tokens += tokens;
    this.reserved.costUsd += cost;
    return null;
  }

  /** Why a call of this bound would be refused if nothing else were in flight; null when it would not. */
  refuses(tokens: number, costUsd: number | null): BudgetStop | null {
    return overrun(this.limits, this.spent.tokens + tokens, this.spent.costUsd + (costUsd ?? 0));
  }

  settle(reserved: { tokens: number; costUsd: number | null }, usage: Usage, costUsd: number | null): void {
    this.reserved.tokens -= reserved.tokens;
    this.reserved.costUsd -= reserved.costUsd ?? 0;
    this.spent.tokens += totalTokens(usage);
    this.spent.costUsd += costUsd ?? 0;
  }
}

function overrun(
  { budgetTokens, budgetUsd }: Pick<RunConfig, 'budgetTokens' | 'budgetUsd'>,
  tokens: number,
  costUsd: number,
): BudgetStop | null {
  if (budgetTokens !== null && tokens > budgetTokens) return 'token_budget';
  return budgetUsd !== null && costUsd > budgetUsd ? 'cost_budget' : null;
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
