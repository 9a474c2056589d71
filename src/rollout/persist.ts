import { LongrunError } from '../core/errors.js';
import { SECOND_MS } from '../core/time.js';

const PERSIST_RETRY_MS = SECOND_MS;

/**
 * Writes what was paid for: while the store is away the value is held and the write tried again,
 * under the heartbeat of the activity. Only a store that says no for another reason ends it.
 */
export async function persist<T>(write: () => Promise<T>, cancelled: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!LongrunError.is(error) || !error.retryable || cancelled.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, PERSIST_RETRY_MS));
    }
  }
}
