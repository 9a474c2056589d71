import { describe, expect, it } from 'vitest';
import { BudgetWatch } from '../../src/launch/budget-watch.js';

const paused = { status: 'paused', turns: 5, done: 2 } as const;

describe('a run that its budget has paused', () => {
  it('is left when nothing has moved for half a minute', () => {
    const watch = new BudgetWatch({ budgetTokens: 1_000, budgetUsd: null });
    expect(watch.stalls(paused, 0)).toBe(false);
    expect(watch.stalls({ ...paused, turns: 6 }, 20_000)).toBe(false);
    expect(watch.stalls({ ...paused, turns: 6 }, 49_000)).toBe(false);
    expect(watch.stalls({ ...paused, turns: 6 }, 50_000)).toBe(true);
  });

  it('is not left while it runs, or when it was paused without having a budget', () => {
    const budget = new BudgetWatch({ budgetTokens: null, budgetUsd: 1 });
    budget.stalls({ ...paused, status: 'running' }, 0);
    expect(budget.stalls({ ...paused, status: 'running' }, 90_000)).toBe(false);
    const none = new BudgetWatch({ budgetTokens: null, budgetUsd: null });
    none.stalls(paused, 0);
    expect(none.stalls(paused, 90_000)).toBe(false);
  });
});
