import { LONGEST_ASKED_MS, SECOND_MS } from '../../core/time.js';

const PLAIN_NUMBER = /^\d+(\.\d+)?$/;
/** All forms of HTTP dates begin with a day of the week; others that are read leniently make dates of anything. */
const HTTP_DATE = /^[A-Za-z]{3,9},? /;

/**
 * Milliseconds that a response asks to wait: `retry-after-ms`, else `Retry-After` in seconds or
 * as a date (RFC 9110 §10.2.3), an hour at most. Null when it does not say.
 */
export function retryAfterMs(headers: Headers | undefined, now: number): number | null {
  const asked = askedMs(headers, now);
  return asked === null ? null : Math.min(asked, LONGEST_ASKED_MS);
}

function askedMs(headers: Headers | undefined, now: number): number | null {
  const exact = headers?.get('retry-after-ms')?.trim() ?? '';
  if (PLAIN_NUMBER.test(exact)) return Math.ceil(Number(exact));
  const value = headers?.get('retry-after')?.trim() ?? '';
  if (PLAIN_NUMBER.test(value)) return Math.ceil(Number(value) * SECOND_MS);
  const date = HTTP_DATE.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
