import type { LongrunError } from '../core/errors.js';
import { LONGEST_ASKED_MS, MINUTE_MS, SECOND_MS } from '../core/time.js';

const LONGEST_MS = MINUTE_MS;

/** Waited out in the slice; anything longer gives the slot back. */
export const SHORT_WAIT_MS = 3 * SECOND_MS;

/** How long to leave an endpoint alone: what it asks for, an hour at most, else exponential with full jitter. */
export function retryDelay(error: LongrunError, tries: number, random: () => number = Math.random): number {
  const asked = error.details.retryAfterMs;
  if (typeof asked === 'number' && asked >= 0) return Math.min(asked, LONGEST_ASKED_MS);
  const ceiling = Math.min(LONGEST_MS, SECOND_MS * 2 ** Math.max(0, tries - 1));
  return Math.round(ceiling / 2 + (random() * ceiling) / 2);
}
