import { TimeoutType } from '@temporalio/common';
import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';
import type { Failure } from '../src/core/outcome.js';

/** Ends an attempt whose host takes no more work. */
export class HostLost extends Error {
  readonly failure: Failure = {
    code: 'host_lost',
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

/** One expiry is no evidence (it fires while everything is down): schedule once more before giving the host up. */
export async function onHost<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!neverStarted(error)) throw error;
  }
  try {
    return await call();
  } catch (error) {
    throw neverStarted(error) ? new HostLost() : error;
  }
}
