import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import { LongrunError } from '../core/errors.js';
import { HostLedgers } from '../core/host-ledgers.js';
import { SECOND_MS } from '../core/time.js';
import { type AtCheckpoint, PASS_ON } from '../rollout/checkpoints.js';
import { clusterId } from '../store/installation.js';
import type { ArtifactStore } from '../store/store.js';
import type { Cluster } from '../temporal/connect.js';
import { connectNative } from '../temporal/native-connection.js';
import { tryAcquire } from '../temporal/process-lock.js';
import { defaultCapacities } from './capacity.js';
import { composeDeps } from './compose-deps.js';
import { availableDrivers } from './drivers.js';
import { hostIdentity, registerHost } from './host-identity.js';
import { createHostWorkers } from './host-workers.js';
import { startReaper } from './reaper-loop.js';
import { installRuntime } from './temporal-logger.js';

const SLICE_MS = 10 * SECOND_MS;

export interface HostWorkerOptions {
  stateDir: string;
  store: ArtifactStore;
  cluster: Cluster;
  client: Client;
  logger: Logger;
  /** Sandboxes of each kind this host shall be able to hold, at least. */
  concurrency?: number;
  /** `host:port` for Prometheus; null = no metrics. */
  metricsAddress?: string | null;
  sliceMs?: number;
  /** For fault tests: told wherever a death must cost nothing. */
  atCheckpoint?: AtCheckpoint;
}

export interface HostWorker {
  hostId: string;
  /** Stops taking work, lets calls in the air end and be recorded (30 s), gives the host's lock back. */
  shutdown(): Promise<void>;
  /** Settles when the workers have ended; rejects when they failed. */
  done: Promise<void>;
}

/**
 * Becomes the host of a state folder: one process at a time, by an exclusive lock.
 * Errors: `host_locked` (another live process is the host).
 */
export async function startHostWorker(options: HostWorkerOptions): Promise<HostWorker> {
  const { stateDir, store, cluster, client, logger } = options;
  const lock = tryAcquire(join(stateDir, 'host'), { cluster: cluster.address });
  if ('heldBy' in lock) {
    const { pid } = lock.heldBy.holder;
    throw new LongrunError(
      'host_locked',
      `another process (pid ${pid}) is the host worker of this state folder`,
      {
        hint: 'it serves every run of the folder; start a second host with another --state-dir',
        details: { pid },
      },
    );
  }
  try {
    installRuntime(logger, options.metricsAddress ?? null);
    const hostId = await hostIdentity(stateDir, randomUUID);
    await registerHost(store, hostId, Date.now);
    const capacities = defaultCapacities(options.concurrency);
    const [connection, drivers, installation] = await Promise.all([
      connectNative(cluster),
      availableDrivers(stateDir, logger),
      clusterId(store, randomUUID),
    ]);
    const stop = new AbortController();
    // Every running activity listens to it.
    setMaxListeners(0, stop.signal);
    const deps = composeDeps({
      store,
      client,
      logger,
      hostId,
      clusterId: installation,
      namespace: cluster.namespace,
      drivers,
      ledgers: new HostLedgers(capacities),
      sliceMs: options.sliceMs ?? SLICE_MS,
      shutdown: stop.signal,
      atCheckpoint: options.atCheckpoint ?? PASS_ON,
    });
    const at = { connection, namespace: cluster.namespace, identity: `${process.pid}@${hostId}` };
    // Sandboxes found running count against the capacity before the first poll.
    const reaper = await startReaper(deps, client);
    const workers = await createHostWorkers(at, deps, capacities);
    const running = Promise.all(workers.map((worker) => worker.run()));
    const done = running
      .then(() => undefined)
      .finally(async () => {
        await reaper.stop();
        await deps.closeModels();
        await Promise.all([...drivers.values()].map((driver) => driver.close()));
        await connection.close();
        lock.release();
      });
    done.catch((error: unknown) => logger.error({ err: error }, 'the host worker failed'));
    const shutdown = async () => {
      if (!stop.signal.aborted) {
        stop.abort();
        for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      }
      await done.catch(() => undefined);
    };
    return { hostId, shutdown, done };
  } catch (error) {
    lock.release();
    throw error;
  }
}
