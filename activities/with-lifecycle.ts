import { Context } from '@temporalio/activity';
import { LongrunError } from '../src/core/errors.js';
import { Detached, type Lifecycle } from '../src/core/rollout/lifecycle.js';
import { SECOND_MS } from '../src/core/time.js';
import { toTemporalFailure } from '../src/temporal/failures.js';

const BEAT_MS = SECOND_MS;

/**
 * Runs an activity's work under a heartbeat and tells it of its end. Only a requested cancellation
 * aborts calls; `notFound`, `timedOut`, `paused`, `reset` and shutdown start nothing new and detach:
 * a server that is away for 8 s ends every running activity that way.
 */
export async function withLifecycle<T>(
  shutdown: AbortSignal,
  work: (lifecycle: Lifecycle, activityAttempt: number) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const cancelled = new AbortController();
  const stopping = new AbortController();
  const end = () => {
    if (context.cancellationDetails?.cancelRequested) cancelled.abort();
    stopping.abort();
  };
  const drain = () => stopping.abort();
  context.cancellationSignal.addEventListener('abort', end, { once: true });
  shutdown.addEventListener('abort', drain, { once: true });
  if (context.cancellationSignal.aborted) end();
  if (shutdown.aborted) drain();
  const beat = setInterval(() => context.heartbeat(), BEAT_MS);
  try {
    return await work({ cancelled: cancelled.signal, stopping: stopping.signal }, context.info.attempt);
  } catch (error) {
    throw toTemporalFailure(meant(error, cancelled.signal, stopping.signal), context.info.attempt);
  } finally {
    clearInterval(beat);
    context.cancellationSignal.removeEventListener('abort', end);
    shutdown.removeEventListener('abort', drain);
  }
}

/**
 * Drivers and waits report an abort in words of their own. Only a request is a cancellation; any
 * other end leaves the work to the next executor.
 */
function meant(error: unknown, cancelled: AbortSignal, stopping: AbortSignal): unknown {
  const aborted = LongrunError.is(error, 'cancelled') || (stopping.aborted && !LongrunError.is(error));
  if (!aborted) return error;
  return cancelled.aborted
    ? new LongrunError('cancelled', 'cancelled by request', { cause: error })
    : new Detached();
}
