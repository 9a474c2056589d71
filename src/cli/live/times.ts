import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/time.js';

/** `0:07`, `12:40`, `3:02:11`. */
export function clockTime(ms: number): string {
  const seconds = Math.floor(ms / SECOND_MS);
  const two = (n: number): string => String(n).padStart(2, '0');
  const minutes = `${Math.floor(seconds / 60) % 60}`;
  if (ms < HOUR_MS) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(ms / HOUR_MS)}:${two(Number(minutes))}:${two(seconds % 60)}`;
}

/** `about 40 s left`, in steps coarse enough not to flicker. */
export function timeLeft(ms: number): string {
  if (ms < MINUTE_MS) return `about ${Math.max(5, Math.ceil(ms / (5 * SECOND_MS)) * 5)} s left`;
  if (ms < HOUR_MS) return `about ${Math.ceil(ms / MINUTE_MS)} min left`;
  return `about ${(ms / HOUR_MS).toFixed(1)} h left`;
}
