import { describe, expect, it } from 'vitest';
import { Purse } from '../../../src/core/budget/purse.js';

const tokens = (amount: number) => ({ tokens: amount, costUsd: 0 });
const money = (costUsd: number) => ({ tokens: 0, costUsd });

describe('a budget that one executor spends', () => {
  it('lets calls through while their bounds fit beside what is spent', () => {
    const purse = new Purse({ tokens: 100, costUsd: null }, tokens(40));
    expect(purse.reserve(tokens(60))).toBeNull();
    purse.settle(tokens(60), tokens(10));
    expect(purse.reserve(tokens(51))).toBe('token_budget');
    expect(purse.reserve(tokens(50))).toBeNull();
  });

  it('makes a call wait that would fit if those in flight took less than their bounds', () => {
    const purse = new Purse({ tokens: 100, costUsd: null }, tokens(0));
    expect(purse.reserve(tokens(80))).toBeNull();
    expect(purse.reserve(tokens(80))).toBe('wait');
    purse.settle(tokens(80), tokens(5));
    expect(purse.reserve(tokens(80))).toBeNull();
  });

  it('counts money as it counts tokens', () => {
    const purse = new Purse({ tokens: null, costUsd: 1 }, money(0.5));
    expect(purse.refuses({ tokens: 1_000_000, costUsd: 0.6 })).toBe('cost_budget');
    expect(purse.reserve(money(0.4))).toBeNull();
    expect(purse.reserve(money(0.4))).toBe('wait');
    purse.settle(money(0.4), money(0.45));
    expect(purse.reserve(money(0.1))).toBe('cost_budget');
  });

  it('does not refuse a call that fits exactly for the noise of summing dollars', () => {
    const purse = new Purse({ tokens: null, costUsd: 0.3 }, money(0.1 + 0.1));
    expect(purse.reserve(money(0.1))).toBeNull();
  });

  it('never refuses a call where there is no ceiling', () => {
    const purse = new Purse({ tokens: null, costUsd: null }, tokens(0));
    expect(purse.reserve({ tokens: Number.MAX_SAFE_INTEGER, costUsd: 1e9 })).toBeNull();
    expect(purse.reserve({ tokens: Number.MAX_SAFE_INTEGER, costUsd: 1e9 })).toBeNull();
  });
});
