import { setTimeout as sleep } from 'node:timers/promises';
import { LongrunError } from '../core/errors.js';
import { MINUTE_MS } from '../core/time.js';
import { type ProcessLock, tryAcquire } from '../machine/process-lock.js';
import type { ServerFolder } from './server-folder.js';

const POLL_MS = 20;
/** Longer than a start on a busy machine together with a stop. */
const PATIENCE_MS = MINUTE_MS;

/**
 * Runs `work` while no other process starts, joins, leaves or stops this folder's server: without it a newcomer
 * could join a server that the last client is just stopping.
 */
export async function atTheDoor<T>(folder: ServerFolder, work: () => Promise<T>): Promise<T> {
  const lock = await takeDoor(folder);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function takeDoor(folder: ServerFolder): Promise<ProcessLock<null>> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const taken = tryAcquire(folder.doorLock, null);
    if (!('heldBy' in taken)) return taken;
    if (Date.now() >= deadline) {
      throw new LongrunError(
        'temporal_unreachable',
        `Process ${taken.heldBy.holder.pid} has been starting or stopping the Temporal server for a minute`,
        { hint: `Look at ${folder.log}; end that process if it hangs.`, retryable: true },
      );
    }
    await sleep(POLL_MS);
  }
}
