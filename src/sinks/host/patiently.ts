import { setTimeout as sleep } from 'node:timers/promises';
import { LongrunError } from '../../core/errors.js';
import { LONGEST_ASKED_MS, SECOND_MS } from '../../core/time.js';

export interface Patience {
  /** Ends the waiting: its reason is thrown. */
  signal: AbortSignal;
  /** Told of each trouble and how long it is waited out. */
  onTrouble?(error: LongrunError, waitMs: number): void;
  firstMs?: number;
  longestMs?: number;
  random?(): number;
}

/**
 * Does something until it works, as long as its trouble is of the kind that passes (`retryable`): the peer restarts,
 * the store or Temporal is away. Waits `details.retryAfterMs` where the peer asks for it, an hour at most, else twice as long each
 * time, up to `longestMs`, with jitter. Any other error is thrown.
 */
export async function patiently<T>(
  work: () => Promise<T>,
  { signal, onTrouble, firstMs = SECOND_MS, longestMs = 30 * SECOND_MS, random = Math.random }: Patience,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !LongrunError.is(error) || !error.retryable) throw error;
      const asked = error.details.retryAfterMs;
      const ceiling = Math.min(longestMs, firstMs * 2 ** Math.min(tries, 20));
      const waitMs = isWait(asked)
        ? Math.min(asked, LONGEST_ASKED_MS)
        : Math.round((ceiling * (1 + random())) / 2);
      onTrouble?.(error, waitMs);
      await sleep(waitMs, undefined, { signal });
    }
  }
}

const isWait = (asked: unknown): asked is number => typeof asked === 'number' && asked >= 0;
