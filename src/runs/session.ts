import { setMaxListeners } from 'node:events';
import type { Client } from '@temporalio/client';
import { readLock } from '../machine/process-lock.js';
import { openStore } from '../store/index.js';
import type { ArtifactStore } from '../store/store.js';
import { type Cluster, connectClient, explicitCluster, resolveCluster } from '../temporal/connect.js';
import { serverStatus } from '../temporal/embedded-server.js';
import type { ServerInfo } from '../temporal/ensure-server.js';
import type { RunClient } from '../temporal/run-client.js';
import { serverFolder } from '../temporal/server-folder.js';
import { createRunClient } from '../temporal/temporal-run-client.js';

export interface SessionOptions {
  stateDir: string;
  env: NodeJS.ProcessEnv;
  /** Told in one line what happens to the server. */
  log?: (line: string) => void;
}

/** A state folder together with the cluster that works on it. */
export interface Session {
  stateDir: string;
  store: ArtifactStore;
  cluster: Cluster;
  client: Client;
  runs: RunClient;
  /** As `RunClient.wait`; ends with the session. */
  wait: RunClient['wait'];
  /** Whether somebody stopped the embedded server on purpose: nobody starts it again then. */
  stopped(): boolean;
  /** Leaves the cluster; the last one out stops an embedded server. */
  close(): Promise<void>;
}

/** Opens the state folder and joins its cluster, starting an embedded server where no address is configured. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { stateDir, env, log } = options;
  const store = await openStore(stateDir, env);
  const cluster = await resolveCluster({
    stateDir,
    env,
    ...(log === undefined ? {} : { log }),
  });
  try {
    const { client, close } = await connectClient(cluster);
    const closing = new AbortController();
    const runs = createRunClient(client, store);
    return {
      stateDir,
      store,
      cluster,
      client,
      runs,
      wait: waitUntilClosed(runs, client, closing.signal),
      stopped: () => cluster.kind === 'embedded' && serverPhase(stateDir) === 'stopped',
      close: async () => {
        closing.abort(new Error('the session was closed'));
        await close();
        await cluster.detach();
      },
    };
  } catch (error) {
    await cluster.detach();
    throw error;
  }
}

function serverPhase(stateDir: string): ServerInfo['phase'] | null {
  return readLock<ServerInfo>(serverFolder(stateDir).serverLock)?.info.phase ?? null;
}

/** Joins a cluster that is configured or already runs; null when there is none. Starts nothing. */
export async function joinSession(options: SessionOptions): Promise<Session | null> {
  const external = explicitCluster({ env: options.env }) !== null;
  if (!external && !serverStatus(options.stateDir).running) return null;
  return await openSession(options);
}

/**
 * Waiting is a long poll. One that was given up must end before the connection does: it would be
 * retried on the closed connection, and fail where nobody can catch it.
 */
function waitUntilClosed(runs: RunClient, client: Client, closing: AbortSignal): RunClient['wait'] {
  return (runId, signal) => {
    const either = AbortSignal.any([closing, signal]);
    // One listener per poll.
    setMaxListeners(0, either);
    return client.withAbortSignal(either, () => runs.wait(runId, signal));
  };
}
