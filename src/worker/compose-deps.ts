import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { ActivityDeps } from '../../activities/activity-deps.js';
import { tbliteScripts } from '../../environments/tblite/scripts/index.js';
import type { BudgetStop } from '../core/budget/budget.js';
import type { Kept } from '../core/held/kept.js';
import { WorkHere } from '../core/held/work-here.js';
import type { HostLedgers } from '../core/host/host-ledgers.js';
import { ModelRegistry } from '../model/registry.js';
import { callPolicies } from '../rollout/calls/call-policies.js';
import type { AtCheckpoint } from '../rollout/checkpoints.js';
import type { SandboxDriver } from '../sandbox/sandbox.js';
import { SinkHost } from '../sinks/host/sink-host.js';
import type { RunRecord } from '../store/records/records.schema.js';
import type { ArtifactStore } from '../store/store.js';
import { WatchedStore } from '../store/watched-store.js';
import type { Environment } from '../tasks/environment.js';
import { passedEnv } from '../tasks/passed-env.js';
import type { RunClient } from '../temporal/run-client.js';
import { createRunClient } from '../temporal/temporal-run-client.js';
import { createTrajectoryRecorder } from '../trajectories/recording/trajectory-recorder.js';
import { composeBudgets } from './compose-budgets.js';
import { composeSinks } from './compose-sinks.js';
import { environmentForRun } from './environment-for-run.js';
import { EndpointLeases } from './lease/endpoint-leases.js';
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
  /** What is kept for a run goes so long after its last piece of work here. */
  idleMs: number;
}

/** What a host's activities depend on, and what it keeps for the runs that it has work of. */
export interface HostDeps extends ActivityDeps {
  work: WorkHere;
  closeModels(): Promise<void>;
}

/** Builds what the activities depend on. */
export function composeDeps(parts: Composition): HostDeps {
  const { client, logger, stateDir, idleMs, ...rest } = parts;
  const store = watchStore(parts.store, logger);
  const runs = createRunClient(client, store);
  const models = new ModelRegistry({ scripts: tbliteScripts, env: process.env });
  const budgets = composeBudgets(client, store, logger, parts.hostId);
  const endpoints = new EndpointLeases(client, parts.hostId, logger);
  const policies = callPolicies(store, Date.now, logger);
  const recorder = createTrajectoryRecorder({ store, stateDir, logger });
  const kept = {
    ...{ ...budgets.kept, ...runs.kept },
    ...{ modelClients: models.kept, endpointLeases: endpoints.kept },
    ...{ policyLogs: policies.kept, recordingTroubles: recorder.kept },
  };
  const hostEnvOf = (run: RunRecord) => passedEnv(run.config, process.env);
  const environmentOf = (run: RunRecord): Environment => environmentForRun(run, hostEnvOf(run));
  return {
    ...rest,
    store,
    logger,
    environmentOf,
    hostEnvOf,
    modelOf: (run) => models.client(run.config, run.runId),
    gateOf: (run) => endpoints.gateOf(run.runId, run.config),
    policies,
    endpoints,
    closeModels: async () => {
      budgets.close();
      await endpoints.close();
      return models.close();
    },
    budgets,
    pauseRun: (runId, reason) => pauseRun(runs, runId, reason, logger),
    observer: createMetrics(),
    sinks: new SinkHost({
      ...{ store, logger, hostId: parts.hostId, env: process.env, now: Date.now },
      factories: composeSinks({ runs, environmentOf }),
      runs: runMessages(runs),
      observer: createSinkMetrics(),
    }),
    recorder,
    work: workHere(kept, idleMs, logger),
    now: Date.now,
    newId: randomUUID,
  };
}

/** Every rollout that is held says so: one signal is enough. A replay's run has ended. */
async function pauseRun(runs: RunClient, runId: string, reason: BudgetStop, logger: Logger): Promise<void> {
  if ((await runs.progress(runId))?.status !== 'running') return;
  logger.warn({ runId, reason }, 'the run is paused: its budget is spent');
  await runs.pause(runId, reason);
}

function workHere(kept: Readonly<Record<string, Kept>>, idleMs: number, logger: Logger): WorkHere {
  const onTrouble = (err: unknown) =>
    logger.debug({ err }, 'what was kept for a run could not be given back');
  return new WorkHere({ kept, idleMs, now: Date.now, onTrouble });
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
