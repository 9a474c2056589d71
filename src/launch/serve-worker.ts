import type { Logger } from 'pino';
import { metricsAddress } from './metrics-address.js';
import { nameLostRuns } from './name-lost-runs.js';
import { openSession } from './session.js';

export interface ServeWorkerOptions {
  stateDir: string;
  env: NodeJS.ProcessEnv;
  /** Sandboxes of each kind; null = as the machine bears. */
  capacity: number | null;
  metricsPort: number | null;
  logger: Logger;
  say(line: string): void;
  signal: AbortSignal;
  onReady(ready: { address: string; hostId: string }): void;
}

/** Hosts a worker until the signal fires, then lets calls in the air end. Errors: `host_locked`, those of the cluster. */
export async function serveWorker(options: ServeWorkerOptions): Promise<void> {
  const { stateDir, env, capacity, metricsPort, logger, say, signal } = options;
  const metrics = await metricsAddress(metricsPort);
  // As one of its users this process keeps an embedded server, whoever else comes and goes.
  const session = await openSession({ stateDir, env, log: say });
  try {
    const { startHostWorker } = await import('../worker/index.js');
    const { store, cluster, client } = session;
    const worker = await startHostWorker({
      stateDir,
      store,
      cluster,
      client,
      logger,
      ...(capacity === null ? {} : { concurrency: capacity }),
      metricsAddress: metrics,
    });
    options.onReady({ address: cluster.address, hostId: worker.hostId });
    await nameLostRuns(session, null, say).catch((error: unknown) =>
      logger.debug({ err: error }, 'could not look for lost runs'),
    );
    const asked = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([asked, worker.done]);
    if (signal.aborted) say('Stopping: calls in the air are finished and recorded. Ctrl-C again leaves now.');
    await worker.shutdown();
  } finally {
    await session.close();
  }
}
