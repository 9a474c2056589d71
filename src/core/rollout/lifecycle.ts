import { LongrunError } from '../errors.js';

/** The two ways work on an attempt is told to end. */
export interface Lifecycle {
  /** Cancelled by request: calls are aborted, processes killed. Aborts `stopping` too. */
  readonly cancelled: AbortSignal;
  /** Start nothing new: finish and record the model call in the air, detach from commands (they run on). */
  readonly stopping: AbortSignal;
}

/** The executor was told to stop before its work was done: the next one goes on from the records. */
export class Detached extends Error {
  constructor() {
    super('detached: the next executor goes on from the records');
    this.name = 'Detached';
  }
}

/** Try the same activity again after `delayMs`, without holding a slot meanwhile. */
export class RetryLater extends Error {
  constructor(
    readonly reason: LongrunError,
    readonly delayMs: number,
  ) {
    super(reason.message);
    this.name = 'RetryLater';
  }
}

/** What to throw for a failure: a wait, where whoever refused asked for one (`details.retryAfterMs`). */
export function afterAskedWait(error: unknown): unknown {
  if (!LongrunError.is(error) || !error.retryable) return error;
  const { retryAfterMs } = error.details;
  return typeof retryAfterMs === 'number' ? new RetryLater(error, retryAfterMs) : error;
}

/** Throws when no new step may be started. */
export function mayGoOn(lifecycle: Lifecycle): void {
  if (lifecycle.cancelled.aborted) throw new LongrunError('cancelled', 'cancelled by request');
  if (lifecycle.stopping.aborted) throw new Detached();
}

/** Waits, or throws as soon as the executor has to stop. */
export async function pause(ms: number, lifecycle: Lifecycle): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      lifecycle.stopping.removeEventListener('abort', done);
      resolve();
    }
    lifecycle.stopping.addEventListener('abort', done, { once: true });
    if (lifecycle.stopping.aborted) done();
  });
  mayGoOn(lifecycle);
}
