import { setTimeout as sleep } from 'node:timers/promises';
import { LongrunError } from '../../core/errors.js';
import { MINUTE_MS } from '../../core/time.js';
import { retryDelay } from '../../model/retry-delay.js';

const MAX_TRIES = 6;
/** An endpoint that asks for more is given up on: the command can be run again later. */
const LONGEST_WAIT_MS = 10 * MINUTE_MS;

/** Calls again after 429, 5xx and broken connections, waiting as long as the endpoint asks. Throws the last error. */
export async function withRetries<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (!LongrunError.is(error) || !error.retryable || tries >= MAX_TRIES) throw error;
      const delayMs = retryDelay(error, tries);
      if (delayMs > LONGEST_WAIT_MS) throw error;
      await sleep(delayMs, undefined, { signal }).catch(() => {
        throw new LongrunError('cancelled', 'Scoring was cancelled');
      });
    }
  }
}

/** Statuses that the next item would meet as well. */
const FATAL_STATUSES = new Set<unknown>([401, 402, 403, 404]);
const FATAL_CODES: ReadonlySet<string> = new Set([
  'bad_input',
  'model_key_missing',
  'model_unknown',
  'cancelled',
]);

/** Whether an error says something of the reward model rather than of the one item. */
export function failsEveryItem(error: unknown): boolean {
  if (!LongrunError.is(error)) return true;
  if (FATAL_CODES.has(error.code)) return true;
  return error.code === 'model_rejected' && FATAL_STATUSES.has(error.details.status);
}
