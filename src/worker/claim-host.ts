import { randomUUID } from 'node:crypto';
import { LongrunError } from '../core/errors.js';
import { hostIdentity } from '../machine/host-identity.js';
import { type HostLockInfo, lockHost } from '../machine/host-lock.js';
import type { ProcessLock } from '../machine/process-lock.js';

export interface HostClaim {
  hostId: string;
  lock: ProcessLock<HostLockInfo>;
}

/** Orchestrators hold no sandboxes, so any number of them may serve a state folder, under numbers. */
const MOST_ORCHESTRATORS = 100;

/**
 * Makes this process the one that is a host: of the given name, else of the state folder's own; an
 * orchestrator without a name takes the first free number. Errors: `host_locked`.
 */
export async function claimHost(
  stateDir: string,
  named: string | null,
  info: HostLockInfo,
): Promise<HostClaim> {
  const own = await hostIdentity(stateDir, randomUUID);
  if (named === null && info.role === 'orchestrator') return claimOrchestrator(stateDir, own, info);
  const hostId = named ?? own;
  return { hostId, lock: lockHost(stateDir, hostId === own ? null : hostId, info) };
}

function claimOrchestrator(stateDir: string, own: string, info: HostLockInfo): HostClaim {
  for (let n = 1; ; n++) {
    const hostId = `${own}-orchestrator-${n}`;
    try {
      return { hostId, lock: lockHost(stateDir, hostId, info) };
    } catch (error) {
      if (!LongrunError.is(error, 'host_locked') || n === MOST_ORCHESTRATORS) throw error;
    }
  }
}
