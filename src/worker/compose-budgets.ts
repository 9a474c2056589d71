import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { RunBudgets } from '../rollout/calls/run-budget.js';
import { spentOnRollout, spentSoFar } from '../rollout/calls/spent-so-far.js';
import { limitsVersion } from '../store/limits.js';
import { readRun } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';
import { TemporalBudgetKeeper } from '../temporal/budget-keeper.js';

/** The budgets of this process: its records in the store, its shares from the cluster. */
export function composeBudgets(
  client: Client,
  store: ArtifactStore,
  logger: Logger,
  hostId: string,
): RunBudgets {
  return new RunBudgets({
    hostId,
    async readLimits(runId) {
      // In this order: limits that are amended meanwhile count as of the older version, and are read again.
      const version = await limitsVersion(store, runId);
      return { config: (await readRun(store, runId)).config, version };
    },
    spentSoFar: ({ runId, taskId }) => spentSoFar(store, runId, taskId),
    spentOnRollout: (key) => spentOnRollout(store, key),
    keeperOf: (budget, spent) => new TemporalBudgetKeeper(client, budget, spent),
    onTrouble: (err) => logger.debug({ err }, 'a share of a budget could not be renewed'),
    newId: randomUUID,
    now: Date.now,
  });
}
