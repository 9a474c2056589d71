import { beforeEach, describe, expect, it } from 'vitest';
import { NO_TALLY } from '../../src/core/budget/budget.js';
import { BudgetShares, freshShares } from '../../src/core/budget/budget-shares.js';
import { WorkHere } from '../../src/core/held/work-here.js';
import { budgetId } from '../../src/core/ids.js';
import { SHARE_LEASE_MS } from '../../src/rollout/calls/budget-share.js';
import { RunBudgets } from '../../src/rollout/calls/run-budget.js';
import { RUN_CONFIG } from '../support/run-config-defaults.js';

const CONFIG = { ...RUN_CONFIG, budgetTokens: 100_000, groupBudgetTokens: 10_000 };
const CALL = { tokens: 100, costUsd: 0 };
const IDLE_MS = 10_000;

let now: number;
let asked: number;
let keepers: Map<string, BudgetShares>;
beforeEach(() => {
  now = 0;
  asked = 0;
  keepers = new Map();
});

/** A host whose budgets are handed out by the keepers that it shares with the others. */
function hostOf(hostId: string) {
  let ids = 0;
  const budgets = new RunBudgets({
    hostId,
    readLimits: async () => ({ config: CONFIG, version: 1 }),
    spentSoFar: async () => NO_TALLY,
    spentOnRollout: async () => NO_TALLY,
    keeperOf: (budget) => ({
      async ask(request) {
        asked += 1;
        const fresh = () => new BudgetShares(freshShares(request.ceiling, 1, NO_TALLY), SHARE_LEASE_MS);
        const keeper = keepers.get(budgetId(budget)) ?? fresh();
        keepers.set(budgetId(budget), keeper);
        return keeper.ask(request, now);
      },
    }),
    onTrouble: (error) => {
      throw error;
    },
    newId: () => `${hostId}-${++ids}`,
    now: () => now,
  });
  const onTrouble = () => undefined;
  const work = new WorkHere({ kept: budgets.kept, idleMs: IDLE_MS, now: () => now, onTrouble });
  const call = (runId: string, taskId: string) =>
    work.during([runId, budgetId({ runId, taskId })], async () => {
      const answer = await (await budgets.of({ runId, taskId, sample: 0 }, CONFIG)).reserve(CALL);
      if (typeof answer === 'object' && 'settle' in answer) answer.settle(CALL);
      return answer;
    });
  return { budgets, work, call };
}

const NOTHING = { work: 0, idle: 0, budgetShares: 0, budgetLimits: 0 };
const holders = () => [...keepers.values()].reduce((sum, keeper) => sum + keeper.holders, 0);

describe('shares of the budgets of a run', () => {
  it('are given back on each host that worked on it, though only one of them closed it', async () => {
    const [one, other] = [hostOf('one'), hostOf('other')];
    for (let n = 0; n < 50; n++) {
      await one.call('run', `task-${n}`);
      await other.call('run', `task-${n}`);
    }
    expect(holders()).toBe(102);
    await one.budgets.leave('run');
    expect(one.work.held()).toMatchObject({ budgetShares: 0, budgetLimits: 0 });
    now += IDLE_MS;
    await other.work.letGoOfIdle();
    expect(other.work.held()).toEqual(NOTHING);
    expect(holders()).toBe(0);
  });

  it('go for a task that has ended while the run goes on', async () => {
    const { work, call } = hostOf('one');
    for (let n = 0; n < 200; n++) {
      await call('run', `task-${n}`);
      now += IDLE_MS / 5;
      await work.letGoOfIdle();
      expect(work.held().budgetShares).toBeLessThanOrEqual(6);
    }
  });

  it('can be had anew by a replay of the run', async () => {
    const { budgets, work, call } = hostOf('one');
    await call('run', 'task');
    await budgets.leave('run');
    expect(await call('run', 'task')).toHaveProperty('settle');
    now += IDLE_MS;
    await work.letGoOfIdle();
    expect(work.held()).toEqual(NOTHING);
    expect(holders()).toBe(0);
  });

  it('are given back without asking anybody once they have lapsed', async () => {
    const { work, call } = hostOf('one');
    await call('run', 'task');
    now += SHARE_LEASE_MS;
    const before = asked;
    await work.letGoOfIdle();
    now += IDLE_MS;
    await work.letGoOfIdle();
    expect(work.held()).toEqual(NOTHING);
    expect(asked).toBe(before);
  });
});
