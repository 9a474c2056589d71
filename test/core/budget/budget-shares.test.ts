import { describe, expect, it } from 'vitest';
import type { Tally } from '../../../src/core/budget/budget.js';
import { BudgetShares, freshShares, type ShareRequest } from '../../../src/core/budget/budget-shares.js';

const LEASE = 30_000;
const tokens = (amount: number): Tally => ({ tokens: amount, costUsd: 0 });

function budgetOf(amount: number, spentBefore = 0): BudgetShares {
  return new BudgetShares(freshShares({ tokens: amount, costUsd: null }, 0, tokens(spentBefore)), LEASE);
}

function request(holder: string, change: Partial<ShareRequest> = {}): ShareRequest {
  return {
    holder,
    host: holder,
    leaves: false,
    nth: 1,
    spent: tokens(0),
    keeps: tokens(0),
    wants: null,
    ceiling: { tokens: 1_000, costUsd: null },
    ceilingVersion: 0,
    records: null,
    ...change,
  };
}

describe('a budget that processes share', () => {
  it('gives the first one a part, leaves one for a newcomer, and never hands out more than there is', () => {
    const shares = budgetOf(1_000, 100);
    expect(shares.ask(request('a', { wants: tokens(10) }), 0).share.tokens).toBe(450);
    expect(shares.ask(request('b', { wants: tokens(10) }), 0).share.tokens).toBe(150);
    const all = Object.values(shares.state.holders).reduce((sum, { share }) => sum + share.tokens, 0);
    expect(all).toBeLessThanOrEqual(900);
  });

  it('gives enough for a call rather than a part that is too small', () => {
    expect(budgetOf(1_000).ask(request('a', { wants: tokens(900) }), 0).share.tokens).toBe(900);
  });

  it('takes back what a process does not need, and gives it to another', () => {
    const shares = budgetOf(1_000);
    shares.ask(request('a', { wants: tokens(900) }), 0);
    const waiting = shares.ask(request('b', { wants: tokens(500) }), 0);
    expect(waiting).toMatchObject({ share: tokens(0), refused: null });
    shares.ask(request('a', { nth: 2, spent: tokens(20), keeps: tokens(20) }), 0);
    expect(shares.ask(request('b', { nth: 2, wants: tokens(500) }), 0).share.tokens).toBe(500);
  });

  it('refuses a call only when it would not fit if nothing were in flight', () => {
    const shares = budgetOf(1_000);
    shares.ask(request('a', { wants: tokens(900) }), 0);
    expect(shares.ask(request('b', { wants: tokens(1_001) }), 0).refused).toBe('token_budget');
    expect(shares.ask(request('b', { nth: 2, wants: tokens(1_000) }), 0).refused).toBeNull();
    shares.ask(request('a', { nth: 2, spent: tokens(600), keeps: tokens(900) }), 0);
    expect(shares.ask(request('b', { nth: 3, wants: tokens(401) }), 0).refused).toBe('token_budget');
  });

  it('does not act on a request that a newer one has overtaken', () => {
    const shares = budgetOf(1_000);
    shares.ask(request('a', { nth: 2 }), 0);
    shares.ask(request('a', { wants: tokens(10) }), 0);
    shares.ask(request('a', { nth: 3, spent: tokens(5), keeps: tokens(50) }), 0);
    shares.ask(request('a', { nth: 2, spent: tokens(0), keeps: tokens(0) }), 0);
    expect(shares.ask(request('a', { nth: 3 }), 0)).toMatchObject({ share: tokens(50), known: tokens(5) });
  });

  it('charges what a dead process held, until the records tell what it spent', () => {
    const shares = budgetOf(1_000);
    shares.ask(request('a', { wants: tokens(800) }), 0);
    shares.ask(request('a', { nth: 2, spent: tokens(50), keeps: tokens(800) }), 0);
    const charged = shares.ask(request('b', { wants: tokens(300) }), LEASE + 1);
    expect(charged).toMatchObject({ share: tokens(0), refused: 'token_budget', uncertain: true });
    // The records hold 120: 70 beyond what it had told.
    const records = { spent: tokens(120), knownBefore: charged.known, lapsesBefore: charged.lapses };
    const told = shares.ask(request('b', { nth: 2, wants: tokens(300), records }), LEASE + 2);
    expect(told.refused).toBeNull();
    expect(shares.state).toMatchObject({ settled: tokens(50), lapsed: tokens(70) });
  });

  it('does not take the word of records that were read before another process died', () => {
    const shares = budgetOf(1_000);
    shares.ask(request('a', { wants: tokens(800) }), 0);
    const records = { spent: tokens(0), knownBefore: tokens(0), lapsesBefore: 0 };
    shares.ask(request('b', { records }), LEASE + 1);
    expect(shares.state.lapsed.tokens).toBe(800);
  });

  it('tells a process whose share has lapsed to start anew', () => {
    const shares = budgetOf(1_000);
    shares.ask(request('a', { wants: tokens(100) }), 0);
    expect(shares.ask(request('a', { nth: 2, keeps: tokens(100) }), LEASE + 1).held).toBe(false);
    expect(shares.ask(request('a2', { host: 'a', wants: tokens(100) }), LEASE + 1).held).toBe(true);
  });

  it('knows that an earlier process of the same host is dead', () => {
    const shares = budgetOf(1_000);
    shares.ask(request('a1', { host: 'here', wants: tokens(1_000) }), 0);
    expect(shares.ask(request('a2', { host: 'here', wants: tokens(10) }), 1)).toMatchObject({
      uncertain: true,
    });
    expect(shares.holders).toBe(1);
  });

  it('follows the newest ceiling, whoever tells of it', () => {
    const shares = budgetOf(1_000);
    const raised = { ceiling: { tokens: 5_000, costUsd: null }, ceilingVersion: 2 };
    expect(shares.ask(request('a', { wants: tokens(2_000) }), 0).refused).toBe('token_budget');
    expect(shares.ask(request('a', { nth: 2, wants: tokens(2_000), ...raised }), 0).refused).toBeNull();
    expect(shares.ask(request('b', { wants: tokens(100), ceilingVersion: 1 }), 0).refused).toBeNull();
    expect(shares.state.ceiling.tokens).toBe(5_000);
  });

  it('counts tokens and dollars each under its own ceiling', () => {
    const shares = new BudgetShares(
      freshShares({ tokens: null, costUsd: 1 }, 0, { tokens: 9, costUsd: 0 }),
      LEASE,
    );
    const ceiling = { tokens: null, costUsd: 1 };
    const wants = { tokens: 1e6, costUsd: 0.1 };
    expect(shares.ask(request('a', { ceiling, wants }), 0).share).toEqual({ tokens: 1e6, costUsd: 0.5 });
    expect(shares.ask(request('a', { ceiling, nth: 2, wants: { tokens: 1, costUsd: 1.1 } }), 0).refused).toBe(
      'cost_budget',
    );
  });
});
