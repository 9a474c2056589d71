import type { Logger } from 'pino';
import type { HostCapacity } from '../core/host/host-capacity.js';
import type { HostRole } from '../core/host/host-role.js';
import { SECOND_MS } from '../core/time.js';
import { openSession, type Session } from '../runs/session.js';
import { nameLostRuns } from '../runs/status/name-lost-runs.js';
import type { HostWorker } from '../worker/index.js';
import { type HealthReport, startHealthServer } from './health-server.js';
import { startMetricsServer } from './metrics-server.js';

export interface ServeWorkerOptions {
  stateDir: string;
  env: NodeJS.ProcessEnv;
  /** Null = the state folder's own name. */
  hostId: string | null;
  role: HostRole;
  /** Null = as the machine bears. */
  capacity: HostCapacity | null;
  /** When asked to stop, so long for rollouts in hand to end; 0 leaves them for the next start. */
  drainTimeoutMs: number;
  /** Bytes; null = as it suits the disk. */
  diskKeepFree?: number | null;
  healthPort: number | null;
  metricsPort: number | null;
  /** One of several processes under one supervisor. */
  supervised: boolean;
  logger: Logger;
  say(line: string): void;
  signal: AbortSignal;
  onReady(ready: ReadyWorker): void;
}

export interface ReadyWorker {
  address: string;
  hostId: string;
  health(): Promise<HealthReport>;
}

/** Hosts a worker until the signal fires, then lets calls in the air end. Errors: `host_locked`, those of the cluster. */
export async function serveWorker(options: ServeWorkerOptions): Promise<void> {
  const { stateDir, env, say } = options;
  let worker: HostWorker | null = null;
  const health = () => healthOf(worker);
  const server = await startHealthServer(options.healthPort, health);
  const metrics = await startMetricsServer(options.metricsPort).catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  try {
    // As one of its users this process keeps an embedded server, whoever else comes and goes.
    const session = await openSession({ stateDir, env, log: say });
    try {
      worker = await startWorker(options, session, metrics.sdkAddress);
      options.onReady({ address: session.cluster.address, hostId: worker.hostId, health });
      if (!options.supervised) await warnOfLostRuns(options, session);
      await untilAsked(options, worker);
      await leave(options, worker);
    } finally {
      await session.close();
    }
  } finally {
    await metrics.close();
    await server.close();
  }
}

async function startWorker(
  options: ServeWorkerOptions,
  { store, cluster, client }: Session,
  metrics: string | null,
): Promise<HostWorker> {
  const { startHostWorker } = await import('../worker/index.js');
  const { stateDir, logger, role, hostId, capacity, supervised, diskKeepFree = null } = options;
  return startHostWorker({
    stateDir,
    store,
    cluster,
    client,
    logger,
    role,
    supervised,
    diskKeepFree,
    ...(hostId === null ? {} : { hostId }),
    ...(capacity === null ? {} : { capacity }),
    metricsAddress: metrics,
  });
}

function warnOfLostRuns({ say, logger }: ServeWorkerOptions, session: Session): Promise<void> {
  return nameLostRuns(session, null, say).catch((error: unknown) =>
    logger.debug({ err: error }, 'could not look for lost runs'),
  );
}

async function untilAsked({ signal }: ServeWorkerOptions, worker: HostWorker): Promise<void> {
  const asked = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([asked, worker.done]);
}

/** Rollouts go on only where their sandboxes are: a host that will not be back for a while finishes them first. */
async function leave({ signal, say, drainTimeoutMs }: ServeWorkerOptions, worker: HostWorker): Promise<void> {
  if (signal.aborted && drainTimeoutMs > 0) {
    const limit = `at most ${drainTimeoutMs / SECOND_MS} s`;
    say(`Draining: no new rollouts; those in hand are finished (${limit}). Ctrl-C again leaves now.`);
    if (!(await worker.drain(drainTimeoutMs)))
      say('Not all rollouts have ended in time: their sandboxes wait for the next start of this host.');
  }
  if (signal.aborted) say('Stopping: calls in the air are finished and recorded. Ctrl-C again leaves now.');
  await worker.shutdown();
}

async function healthOf(worker: HostWorker | null): Promise<HealthReport> {
  if (worker === null) return { ready: false, document: { checks: { workers: 'starting' } } };
  const { hostId, role, capacity, live, draining } = worker.status();
  const checks = await worker.health();
  const ready = !draining && Object.values(checks).every((trouble) => trouble === null);
  return { ready, document: { host_id: hostId, role, capacity, live, draining, checks } };
}
