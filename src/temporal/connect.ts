import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { badInput, LongrunError } from '../core/errors.js';
import { SECOND_MS } from '../core/time.js';
import { ClosableRetries } from './closable-retries.js';
import { attachServer } from './embedded-server.js';
import { probeServer } from './probe-server.js';
import { registerSearchAttributes } from './search-attributes.js';
import { isAtLeast, OLDEST_SERVER, serverTooOld } from './server-version.js';

const PROBE_TIMEOUT_MS = 5 * SECOND_MS;

export interface ResolveClusterOptions {
  stateDir: string;
  /** `host:port`; wins over TEMPORAL_ADDRESS and profile. */
  address?: string;
  /** Wins over TEMPORAL_NAMESPACE and profile. */
  namespace?: string;
  /** A profile of Temporal's configuration file; else TEMPORAL_PROFILE, else `default`. */
  profile?: string;
  env?: NodeJS.ProcessEnv;
  log?: (line: string) => void;
}

/** A Temporal cluster that answers. */
export interface Cluster {
  kind: 'external' | 'embedded';
  address: string;
  namespace: string;
  serverVersion: string;
  /** Address, TLS, API key and metadata, for `Connection` and `NativeConnection` alike. */
  connection: ClusterConnection;
  /** Leaves an embedded server (the last one out stops it); nothing to do for an external one. */
  detach(): Promise<void>;
}

export type ClusterConnection = Pick<NativeConnectionOptions, 'tls' | 'apiKey' | 'metadata'> & {
  address: string;
};

/**
 * The cluster to use: an explicit address or profile, which is only connected to, else the embedded server of the
 * state folder. Errors: `temporal_unreachable`, `temporal_version`, `temporal_binary_missing`, `bad_input`.
 */
export async function resolveCluster(options: ResolveClusterOptions): Promise<Cluster> {
  const explicit = explicitCluster(options);
  if (explicit === null) return await embeddedCluster(options);
  const { connection, namespace } = explicit;
  const { serverVersion } = await probeExternal(connection, namespace);
  refuseOld(serverVersion, connection.address);
  const { address } = connection;
  return { kind: 'external', address, namespace, serverVersion, connection, detach: async () => undefined };
}

export interface ClusterClient {
  client: Client;
  connection: Connection;
  close(): Promise<void>;
}

/** A client of the cluster, with our search attributes registered. */
export async function connectClient(cluster: Cluster): Promise<ClusterClient> {
  const retries = new ClosableRetries();
  const connection = await Connection.connect({
    ...cluster.connection,
    interceptors: [retries.interceptor],
  });
  try {
    await registerSearchAttributes(connection, cluster.namespace);
  } catch (error) {
    await connection.close();
    throw error;
  }
  const client = new Client({ connection, namespace: cluster.namespace });
  const close = async () => {
    await retries.end();
    await connection.close();
  };
  return { client, connection, close };
}

/** Null when neither flag, environment nor profile names an address. */
export function explicitCluster(
  options: Omit<ResolveClusterOptions, 'stateDir'>,
): { connection: ClusterConnection; namespace: string } | null {
  const { connectionOptions, namespace } = loadProfile(options);
  const address = options.address ?? connectionOptions.address;
  if (!address) return null;
  const { tls, apiKey, metadata } = connectionOptions;
  return {
    connection: {
      address,
      ...(tls === undefined ? {} : { tls }),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(metadata === undefined ? {} : { metadata }),
    },
    namespace: options.namespace ?? namespace ?? 'default',
  };
}

function loadProfile({ profile, env = process.env }: Omit<ResolveClusterOptions, 'stateDir'>) {
  const overrideEnvVars = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  try {
    return loadClientConnectConfig({ ...(profile === undefined ? {} : { profile }), overrideEnvVars });
  } catch (error) {
    throw badInput(
      `Temporal's settings cannot be read: ${(error as Error).message}`,
      'Check --profile, the TEMPORAL_* variables and the file that TEMPORAL_CONFIG_FILE names.',
    );
  }
}

async function embeddedCluster({ stateDir, log }: ResolveClusterOptions): Promise<Cluster> {
  const server = await attachServer({ stateDir, ...(log === undefined ? {} : { log }) });
  const { address, namespace, serverVersion } = server;
  try {
    refuseOld(serverVersion, address);
  } catch (error) {
    await server.detach();
    throw error;
  }
  const detach = () => server.detach();
  return { kind: 'embedded', address, namespace, serverVersion, connection: { address }, detach };
}

async function probeExternal(connection: ClusterConnection, namespace: string) {
  try {
    return await probeServer(connection, namespace, PROBE_TIMEOUT_MS);
  } catch (cause) {
    throw new LongrunError(
      'temporal_unreachable',
      `The Temporal server at ${connection.address} does not serve namespace ${namespace}: ${reason(cause)}`,
      {
        hint: 'Check address, namespace, TLS and API key (TEMPORAL_* variables, profile) and the server, or unset TEMPORAL_ADDRESS to use an embedded server.',
        retryable: true,
        cause,
      },
    );
  }
}

function reason(error: unknown): string {
  const { details, message } = error as { details?: string; message?: string };
  return details || message || String(error);
}

function refuseOld(serverVersion: string, address: string): void {
  if (isAtLeast(serverVersion, OLDEST_SERVER)) return;
  throw serverTooOld(`The Temporal server at ${address} is version`, serverVersion);
}
