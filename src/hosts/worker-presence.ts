import { LongrunError } from '../core/errors.js';
import { holdsSandboxes, orchestrates } from '../core/host/host-role.js';
import { livingHosts } from '../machine/host-lock.js';
import type { Session } from '../runs/session.js';

/**
 * Whether somebody works on the runs of a session now. The locks of the state folder are exact;
 * workers of other machines are known by their polls, which a cluster remembers for a minute.
 */
export async function hasWorker(session: Pick<Session, 'stateDir' | 'cluster' | 'runs'>): Promise<boolean> {
  if (livingHosts(session.stateDir).length > 0) return true;
  return session.cluster.kind === 'external' && (await session.runs.workers()) > 0;
}

/** Throws `host_locked` while named workers do all the work of a state folder: nobody else need become its host. */
export function refuseWhereServed(stateDir: string): void {
  const roles = livingHosts(stateDir).flatMap(({ hostId, lock }) =>
    hostId === null ? [] : [lock.info.role],
  );
  if (!roles.some(orchestrates) || !roles.some(holdsSandboxes)) return;
  throw new LongrunError('host_locked', 'named workers serve this state folder');
}
