import { SECOND_MS } from '../../core/time.js';

/**
 * Milliseconds that a response asks to wait: `retry-after-ms`, else `Retry-After` in seconds or
 * as a date (RFC 9110 §10.2.3). Null when it does not say.
 */
export function retryAfterMs(headers: Headers | undefined, now: number): number | null {
  const exact = headers?.get('retry-after-ms') ?? '';
  if (/^\d+(\.\d+)?$/.test(exact.trim())) return Math.ceil(Number(exact));
  const value = headers?.get('retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * SECOND_MS);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
