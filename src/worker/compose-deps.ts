import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { ActivityDeps } from '../../activities/activity-deps.js';
import { tbliteScripts } from '../../environments/tblite/scripts/index.js';
import type { HostLedgers } from '../core/host-ledgers.js';
import { ModelRegistry } from '../model/registry.js';
import { callPolicies } from '../rollout/call-policies.js';
import type { AtCheckpoint } from '../rollout/checkpoints.js';
import type { SandboxDriver } from '../sandbox/sandbox.js';
import { SinkHost } from '../sinks/host/sink-host.js';
import type { RunRecord } from '../store/records.schema.js';
import type { ArtifactStore } from '../store/store.js';
import { WatchedStore } from '../store/watched-store.js';
import type { Environment } from '../tasks/environment.js';
import { passedEnv } from '../tasks/passed-env.js';
import { createRunClient } from '../temporal/temporal-run-client.js';
import { createTrajectoryRecorder } from '../trajectories/recording/trajectory-recorder.js';
import { composeBudgets } from './compose-budgets.js';
import { composeSinks } from './compose-sinks.js';
import { EndpointLeases } from './endpoint-leases.js';
import { environmentForRun } from './environment-for-run.js';
import { createMetrics, createSinkMetrics } from './metrics.js';
import { runMessages } from './run-messages.js';

export interface Composition {
  stateDir: string;
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
  const { client, logger, stateDir, ...rest } = parts;
  const store = watchStore(parts.store, logger);
  const runs = createRunClient(client, store);
  const models = new ModelRegistry({ scripts: tbliteScripts, env: process.env });
  const budgets = composeBudgets(client, store, logger, parts.hostId);
  const endpoints = new EndpointLeases(client, parts.hostId, logger);
  const hostEnvOf = (run: RunRecord) => passedEnv(run.config, process.env);
  const environmentOf = (run: RunRecord): Environment => environmentForRun(run, hostEnvOf(run));
  return {
    ...rest,
    store,
    logger,
    environmentOf,
    hostEnvOf,
    modelOf: (run) => models.client(run.config),
    gateOf: (run) => endpoints.gateOf(run.config),
    policies: callPolicies(store, Date.now, logger),
    endpoints,
    closeModels: async () => {
      budgets.close();
      await endpoints.close();
      return models.close();
    },
    budgets,
    async pauseRun(runId, reason) {
      // Every rollout that is held says so: one signal is enough. A replay's run has ended.
      if ((await runs.progress(runId))?.status !== 'running') return;
      logger.warn({ runId, reason }, 'the run is paused: its budget is spent');
      await runs.pause(runId, reason);
    },
    observer: createMetrics(),
    sinks: new SinkHost({
      ...{ store, logger, hostId: parts.hostId, env: process.env, now: Date.now },
      factories: composeSinks({ runs, environmentOf }),
      runs: runMessages(runs),
      observer: createSinkMetrics(),
    }),
    recorder: createTrajectoryRecorder({ store, stateDir, logger }),
    now: Date.now,
    newId: randomUUID,
  };
}

/** What waits for the store is many; what is said of it is one line. */
function watchStore(store: ArtifactStore, logger: Logger): ArtifactStore {
  return new WatchedStore(store, {
    onTrouble: ({ message, hint }) =>
      logger.warn(
        { reason: message, hint },
        'the store does not work: what is to be recorded is held until it does',
      ),
    onRecovered: () => logger.warn('the store works again: what was held is recorded, and work goes on'),
  });
}
