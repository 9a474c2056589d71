import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import { LongrunError } from '../core/errors.js';
import { Detached, RetryLater } from '../core/rollout/lifecycle.js';
import { SECOND_MS } from '../core/time.js';

/** Errors that are part of normal life: they must not fill logs and alerts. */
const EXPECTED = new Set([
  'fenced',
  'cancelled',
  'model_rate_limited',
  'sandbox_gone',
  // Told once by the worker, not by everything that waits for it.
  'store_unavailable',
  'store_full',
]);
/** An error of no known kind is a bug: tried again for a while, in case a deploy fixes it, then reported. */
const UNKNOWN_TRIES = 5;

/** The one place where our errors become Temporal's: `type` is the code, retries as the error says. */
export function toTemporalFailure(error: unknown, activityAttempt: number): Error {
  if (error instanceof RetryLater) {
    return ApplicationFailure.create({
      type: error.reason.code,
      message: error.reason.message,
      nextRetryDelay: error.delayMs,
      category: ApplicationFailureCategory.BENIGN,
    });
  }
  if (error instanceof Detached) {
    return ApplicationFailure.create({
      type: 'detached',
      message: error.message,
      nextRetryDelay: SECOND_MS,
      category: ApplicationFailureCategory.BENIGN,
    });
  }
  if (LongrunError.is(error, 'cancelled')) return new CancelledFailure(error.message);
  if (LongrunError.is(error)) {
    return ApplicationFailure.create({
      type: error.code,
      message: error.message,
      nonRetryable: !error.retryable && error.code !== 'fenced',
      ...(EXPECTED.has(error.code) ? { category: ApplicationFailureCategory.BENIGN } : {}),
      cause: error,
    });
  }
  return ApplicationFailure.create({
    type: 'internal',
    message: error instanceof Error ? error.message : String(error),
    nonRetryable: activityAttempt >= UNKNOWN_TRIES,
    ...(error instanceof Error ? { cause: error } : {}),
  });
}
