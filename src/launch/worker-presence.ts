import { join } from 'node:path';
import { readLock } from '../temporal/process-lock.js';
import type { Session } from './session.js';

/**
 * Whether somebody works on the runs of a session now. The lock of the state folder is exact;
 * workers of other machines are known by their polls, which a cluster remembers for a minute.
 */
export async function hasWorker(session: Pick<Session, 'stateDir' | 'cluster' | 'runs'>): Promise<boolean> {
  if (readLock(join(session.stateDir, 'host'))?.held) return true;
  return session.cluster.kind === 'external' && (await session.runs.workers()) > 0;
}
