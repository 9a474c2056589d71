import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LongrunError } from '../core/errors.js';
import type { HostRole } from '../core/host/host-role.js';
import { type LockState, type ProcessLock, readLock, tryAcquire } from './process-lock.js';

/** What the lock of a host says of its holder. */
export interface HostLockInfo {
  cluster: string;
  role: HostRole;
  /** Asked to stop by a supervisor, which has a lock of its own. */
  supervised: boolean;
}

/** Holder of one of a state folder's host locks. */
export interface LivingHost {
  /** Null for the host that has the state folder's own name. */
  hostId: string | null;
  lock: LockState<HostLockInfo>;
}

const OWN = 'host';
const NAMED = 'hosts';

const lockPath = (stateDir: string, hostId: string | null): string =>
  hostId === null ? join(stateDir, OWN) : join(stateDir, NAMED, hostId);

/**
 * Takes the lock of one host of a state folder: one live process per host id, because two would act on the
 * same sandboxes. `hostId` null stands for the state folder's own host. Errors: `host_locked`.
 */
export function lockHost(
  stateDir: string,
  hostId: string | null,
  info: HostLockInfo,
): ProcessLock<HostLockInfo> {
  const lock = tryAcquire<HostLockInfo>(lockPath(stateDir, hostId), info);
  if (!('heldBy' in lock)) return lock;
  const { pid } = lock.heldBy.holder;
  const what =
    hostId === null ? 'the host worker of this state folder' : `host ${hostId} of this state folder`;
  throw new LongrunError('host_locked', `another process (pid ${pid}) is ${what}`, {
    hint: 'it serves every run of the folder; a second host beside it needs a name of its own (--host-id)',
    details: { pid },
  });
}

/** The hosts of a state folder that a living process is now, the folder's own first. */
export function livingHosts(stateDir: string): LivingHost[] {
  const named = existsSync(join(stateDir, NAMED))
    ? readdirSync(join(stateDir, NAMED)).flatMap((file) => file.match(/^(.+)\.lock\.\d+$/)?.[1] ?? [])
    : [];
  return [null, ...new Set(named)].flatMap((hostId) => {
    const lock = readLock<HostLockInfo>(lockPath(stateDir, hostId));
    return lock?.held ? [{ hostId, lock }] : [];
  });
}
