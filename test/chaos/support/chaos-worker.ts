import type { HostRole } from '../../../src/core/host/host-role.js';
import type { Checkpoint } from '../../../src/rollout/checkpoints.js';
import { type Child, spawnChild } from '../../support/child.js';

/** The nth time that a worker process passes a checkpoint, from 1. */
export type DeathPoint = `${Checkpoint}:${number}`;

export interface ChaosWorkerSettings {
  stateDir: string;
  /** Temporal's address (a proxy's); else the embedded server of the state folder, as users have it. */
  address?: string;
  /** Of several hosts on one state folder; else the folder's own. */
  hostId?: string;
  role?: HostRole;
  /** Of a worker that drains when asked to stop (`serving.child.ts`). */
  drainTimeoutMs?: number;
  /** Where the worker kills itself with SIGKILL. */
  dieAt?: DeathPoint;
  /** Sandboxes of each kind, at least. */
  capacity: number;
}

const SCRIPT = new URL('./chaos-worker.child.ts', import.meta.url);

/** A worker process that works; `script` is that of another version of the code. */
export async function startChaosWorker(
  settings: ChaosWorkerSettings,
  temporaryFolder: string,
  script = SCRIPT,
): Promise<Child> {
  const child = spawnChild(script, [JSON.stringify(settings)], { TMPDIR: temporaryFolder });
  const line = await child.line();
  if (line !== 'ready') throw new Error(`the worker said ${JSON.stringify(line)} instead of "ready"`);
  return child;
}
