/** Below this share of the largest value a spread is rounding error, and counts as none. */
const RELATIVE_FLOOR = 1e-9;

export interface Moments {
  mean: number;
  /** Population standard deviation; exactly 0 where the values differ by rounding only. */
  std: number;
}

/** Mean and population standard deviation; 0 and 0 of nothing. */
export function moments(values: readonly number[]): Moments {
  if (values.length === 0) return { mean: 0, std: 0 };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  const std = Math.sqrt(variance);
  const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return { mean, std: std <= RELATIVE_FLOOR * scale ? 0 : std };
}

/** (value − mean) / std, and 0 where there is no spread. */
export const standardised = (value: number, { mean, std }: Moments): number =>
  std === 0 ? 0 : (value - mean) / std;

/** value − mean, and exactly 0 where there is no spread. */
export const centred = (value: number, { mean, std }: Moments): number => (std === 0 ? 0 : value - mean);
