import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/time.js';

/** What stands where nothing is known. */
export const UNKNOWN = '—';

/** A share as a percentage with one decimal: `66.7 %`. */
export function percent(share: number | null): string {
  return share === null ? UNKNOWN : `${(share * 100).toFixed(1)} %`;
}

/** A reward with two decimals. */
export function reward(value: number | null): string {
  return value === null ? UNKNOWN : value.toFixed(2);
}

/** A count in three figures: `812`, `12.3 k`, `4.56 M`. */
export function count(value: number): string {
  if (value < 1_000) return String(value);
  const [scaled, unit] =
    value < 999_500 ? [value / 1e3, 'k'] : value < 999_500_000 ? [value / 1e6, 'M'] : [value / 1e9, 'G'];
  return `${scaled.toPrecision(3)} ${unit}`;
}

/** US dollars: cents, or as many decimals as a smaller sum needs. */
export function dollars(value: number | null): string {
  if (value === null) return UNKNOWN;
  return value === 0 || value >= 0.01 ? `$${value.toFixed(2)}` : `$${value.toPrecision(2)}`;
}

/** `0.4 s`, `12 s`, `3 min 05 s`, `2 h 07 min`. */
export function duration(ms: number): string {
  if (ms < 10 * SECOND_MS) return `${(ms / SECOND_MS).toFixed(1)} s`;
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`;
  const [big, small, names] =
    ms < HOUR_MS
      ? [Math.floor(ms / MINUTE_MS), Math.floor((ms % MINUTE_MS) / SECOND_MS), ['min', 's']]
      : [Math.floor(ms / HOUR_MS), Math.floor((ms % HOUR_MS) / MINUTE_MS), ['h', 'min']];
  return `${big} ${names[0]} ${String(small).padStart(2, '0')} ${names[1]}`;
}
