import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { HostCapacity } from '../core/host/host-capacity.js';
import type { HostRole } from '../core/host/host-role.js';
import type { AtCheckpoint } from '../rollout/checkpoints.js';
import type { ArtifactStore } from '../store/store.js';
import type { Cluster } from '../temporal/connect.js';

export interface HostWorkerOptions {
  stateDir: string;
  store: ArtifactStore;
  cluster: Cluster;
  client: Client;
  logger: Logger;
  /** Name of this host; without one it is the state folder's own. Several hosts may share a state folder. */
  hostId?: string;
  /** `all` unless told otherwise. */
  role?: HostRole;
  /** Sandboxes it holds at once; else as the machine bears. */
  capacity?: HostCapacity;
  /** Sandboxes of each kind it shall be able to hold, at least; `capacity` wins. */
  concurrency?: number;
  /** Bytes below which images of tasks are removed; null = as it suits the disk, 0 = never. */
  diskKeepFree?: number | null;
  /** `host:port` for Prometheus; null = no metrics. */
  metricsAddress?: string | null;
  sliceMs?: number;
  /** What is kept for a run goes so long after its last piece of work here. */
  idleMs?: number;
  /** One of several processes under one supervisor. */
  supervised?: boolean;
  /** For fault tests: told wherever a death must cost nothing. */
  atCheckpoint?: AtCheckpoint;
}
