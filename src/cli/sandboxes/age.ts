import { badInput } from '../../core/errors.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/time.js';

const UNITS: Record<string, number> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** The value of a flag that is an age (`90s`, `30m`, `24h`, `7d`), in ms. Throws `bad_input`. */
export function age(flag: string, text: string): number {
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS[unit];
  if (count !== undefined && unitMs !== undefined) return Number(count) * unitMs;
  throw badInput(`${flag}: found "${text}", accepted: a whole number of s, m, h or d (90s, 30m, 24h, 7d).`);
}
