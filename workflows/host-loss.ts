import { TimeoutType } from '@temporalio/common';
import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';
import type { Failure } from '../src/core/rollout/outcome.js';

export const HOST_LOST = 'host_lost';

/** Ends an attempt whose host takes no more work. */
export class HostLost extends Error {
  readonly failure: Failure = {
    code: HOST_LOST,
    message: 'no worker of the sandbox’s host took work, twice in a row',
    retryable: true,
    hint: 'start the host’s worker again; the rollout moves to another host meanwhile',
  };
}

function neverStarted(error: unknown): boolean {
  return (
    error instanceof ActivityFailure &&
    error.cause instanceof TimeoutFailure &&
    error.cause.timeoutType === TimeoutType.SCHEDULE_TO_START
  );
}

/**
 * One expiry is no evidence (it fires while everything is down): schedule once more before giving the host up,
 * and only while `mayMove` says that there is another. With none, waiting loses nothing.
 */
export async function onHost<T>(call: () => Promise<T>, mayMove: () => Promise<boolean>): Promise<T> {
  for (let expiries = 0; ; ) {
    try {
      return await call();
    } catch (error) {
      if (!neverStarted(error)) throw error;
    }
    expiries += 1;
    if (expiries >= 2 && (await mayMove())) throw new HostLost();
  }
}
