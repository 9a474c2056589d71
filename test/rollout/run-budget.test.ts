import { describe, expect, it } from 'vitest';
import { RunBudget } from '../../src/rollout/run-budget.js';

const NOTHING = { tokens: 0, costUsd: 0 };
const used = (tokens: number) => ({ promptTokens: tokens, cachedTokens: 0, completionTokens: 0 });

describe('the budget of a run', () => {
  it('lets calls through while their bounds fit beside what is spent', () => {
    const budget = new RunBudget({ budgetTokens: 100, budgetUsd: null }, { tokens: 40, costUsd: 0 });
    expect(budget.reserve(60, null)).toBeNull();
    budget.settle({ tokens: 60, costUsd: null }, used(10), null);
    expect(budget.reserve(51, null)).toBe('token_budget');
    expect(budget.reserve(50, null)).toBeNull();
  });

  it('makes a call wait that would fit if those in flight took less than their bounds', () => {
    const budget = new RunBudget({ budgetTokens: 100, budgetUsd: null }, NOTHING);
    expect(budget.reserve(80, null)).toBeNull();
    expect(budget.reserve(80, null)).toBe('wait');
    budget.settle({ tokens: 80, costUsd: null }, used(5), null);
    expect(budget.reserve(80, null)).toBeNull();
  });

  it('counts money as it counts tokens', () => {
    const budget = new RunBudget({ budgetTokens: null, budgetUsd: 1 }, { tokens: 0, costUsd: 0.5 });
    expect(budget.refuses(1_000_000, 0.6)).toBe('cost_budget');
    expect(budget.reserve(1_000_000, 0.4)).toBeNull();
    expect(budget.reserve(1, 0.4)).toBe('wait');
    budget.settle({ tokens: 1_000_000, costUsd: 0.4 }, used(10), 0.45);
    expect(budget.reserve(1, 0.1)).toBe('cost_budget');
  });

  it('never refuses a call where there is no ceiling', () => {
    const budget = new RunBudget({ budgetTokens: null, budgetUsd: null }, NOTHING);
    expect(budget.reserve(Number.MAX_SAFE_INTEGER, 1e9)).toBeNull();
    expect(budget.reserve(Number.MAX_SAFE_INTEGER, null)).toBeNull();
  });
});
