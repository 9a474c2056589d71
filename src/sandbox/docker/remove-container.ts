import { setTimeout as delay } from 'node:timers/promises';
import type Dockerode from 'dockerode';
import { LongrunError } from '../../core/errors.js';
import { MINUTE_MS, SECOND_MS } from '../../core/time.js';
import { engineStatus, toLongrunError } from './engine-error.js';

/** An engine needs long for many files on a busy disk, and one that needs longer is stuck. */
const REMOVAL_LIMIT_MS = 2 * MINUTE_MS;
/** So long one that is under way already is waited for. */
const OTHERS_LIMIT_MS = 30 * SECOND_MS;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2 * SECOND_MS;

/**
 * Removes a container, with its volumes; one that is gone is removed. Whoever cleans up has other sandboxes too, so a
 * removal that is stuck ends as a failure that may be tried again. Errors: `sandbox_unavailable`, `sandbox_failed`.
 */
export async function removeContainer(container: Dockerode.Container): Promise<void> {
  const limit = { abortSignal: AbortSignal.timeout(REMOVAL_LIMIT_MS) };
  try {
    await container.remove({ force: true, v: true, ...limit });
  } catch (error) {
    const status = engineStatus(error);
    if (status === 404) return;
    if (status !== 409) throw toLongrunError(error, 'removing a container');
    // Someone else is removing it.
    await untilGone(container);
  }
}

async function untilGone(container: Dockerode.Container): Promise<void> {
  let waitedMs = 0;
  for (
    let pauseMs = FIRST_PAUSE_MS;
    await exists(container);
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
  ) {
    if (waitedMs >= OTHERS_LIMIT_MS) throw stuck(container);
    await delay(pauseMs);
    waitedMs += pauseMs;
  }
}

async function exists(container: Dockerode.Container): Promise<boolean> {
  try {
    await container.inspect();
    return true;
  } catch (error) {
    if (engineStatus(error) === 404) return false;
    throw toLongrunError(error, 'looking for a container');
  }
}

function stuck({ id }: Dockerode.Container): LongrunError {
  return new LongrunError(
    'sandbox_failed',
    `The engine has been removing container ${id} for longer than ${OTHERS_LIMIT_MS / SECOND_MS} s`,
    {
      hint: 'It is tried again. If it stays, a restart of the engine removes it (docker ps --all shows it).',
      retryable: true,
    },
  );
}
