import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { ActivityDeps } from '../../activities/activity-deps.js';
import { tbliteScripts } from '../../environments/tblite/scripts/index.js';
import type { HostLedgers } from '../core/host-ledgers.js';
import { ModelRegistry } from '../model/registry.js';
import type { AtCheckpoint } from '../rollout/checkpoints.js';
import { RunBudgets } from '../rollout/run-budget.js';
import { spentSoFar } from '../rollout/spent-so-far.js';
import type { SandboxDriver } from '../sandbox/sandbox.js';
import type { RunRecord } from '../store/records.schema.js';
import type { ArtifactStore } from '../store/store.js';
import type { Environment } from '../tasks/environment.js';
import { createRunClient } from '../temporal/temporal-run-client.js';
import { environmentForRun } from './environment-for-run.js';
import { createMetrics } from './metrics.js';

export interface Composition {
  store: ArtifactStore;
  client: Client;
  logger: Logger;
  hostId: string;
  clusterId: string;
  namespace: string;
  drivers: ReadonlyMap<string, SandboxDriver>;
  ledgers: HostLedgers;
  sliceMs: number;
  shutdown: AbortSignal;
  atCheckpoint: AtCheckpoint;
}

/** Builds what the activities depend on; environments once per run. */
export function composeDeps(parts: Composition): ActivityDeps & { closeModels(): Promise<void> } {
  const { client, store, logger, ...rest } = parts;
  const runs = createRunClient(client, store);
  const models = new ModelRegistry({ scripts: tbliteScripts, env: process.env });
  return {
    ...rest,
    store,
    logger,
    environmentOf: oncePerRun<Environment>((run) => environmentForRun(run)),
    modelOf: (run) => models.client(run.config),
    closeModels: () => models.close(),
    budgets: new RunBudgets((runId) => spentSoFar(store, runId)),
    async pauseRun(runId, reason) {
      // Every held rollout asks again and again: one signal is enough, and history is finite.
      if ((await runs.progress(runId))?.status === 'paused') return;
      logger.warn({ runId, reason }, 'the run is paused');
      await runs.pause(runId);
    },
    observer: createMetrics(),
    now: Date.now,
    newId: randomUUID,
  };
}

function oncePerRun<T>(make: (run: RunRecord) => T): (run: RunRecord) => T {
  const made = new Map<string, T>();
  return (run) => {
    const known = made.get(run.runId) ?? make(run);
    made.set(run.runId, known);
    return known;
  };
}
