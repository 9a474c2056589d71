import { randomUUID } from 'node:crypto';
import type { BudgetKeeper } from '../../src/core/budget/budget-keeper.js';
import { BudgetShares, freshShares } from '../../src/core/budget/budget-shares.js';
import { SHARE_LEASE_MS } from '../../src/rollout/calls/budget-share.js';
import { RunBudgets } from '../../src/rollout/calls/run-budget.js';
import { spentOnRollout, spentSoFar } from '../../src/rollout/calls/spent-so-far.js';
import { limitsVersion } from '../../src/store/limits.js';
import { readRun } from '../../src/store/runs.js';
import type { ArtifactStore } from '../../src/store/store.js';

/** Budgets of a process that is alone: what Temporal keeps for several is kept in memory. */
export function localBudgets(store: ArtifactStore): RunBudgets {
  return new RunBudgets({
    hostId: 'here',
    readLimits: async (runId) => ({
      version: await limitsVersion(store, runId),
      config: (await readRun(store, runId)).config,
    }),
    spentSoFar: ({ runId, taskId }) => spentSoFar(store, runId, taskId),
    spentOnRollout: (key) => spentOnRollout(store, key),
    keeperOf: (_, spent) => localKeeper(spent),
    onTrouble: (error) => {
      throw error;
    },
    newId: randomUUID,
    now: Date.now,
  });
}

function localKeeper(spentSoFarNow: () => ReturnType<typeof spentSoFar>): BudgetKeeper {
  let shares: BudgetShares | null = null;
  return {
    async ask(request) {
      const { ceiling, ceilingVersion } = request;
      shares ??= new BudgetShares(
        freshShares(ceiling, ceilingVersion, await spentSoFarNow()),
        SHARE_LEASE_MS,
      );
      return shares.ask(request, Date.now());
    },
  };
}
