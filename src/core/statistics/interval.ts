import { mean, sampleVariance } from './mean.js';

/** Bounds of a 95 % confidence interval. */
export interface Interval {
  low: number;
  high: number;
}

/** 97.5 % quantile of the standard normal distribution. */
const Z = 1.959963984540054;
/** 97.5 % quantiles of Student's t for 1…9 degrees of freedom; the expansion below is exact enough from 10 on. */
const T_SMALL = [12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157];
/** Variances below this are rounding errors of values that are all the same. */
const NO_VARIANCE = 1e-24;

/** 97.5 % quantile of Student's t with `df` degrees of freedom, to four decimals (Abramowitz & Stegun 26.7.5). */
export function studentT(df: number): number {
  const small = T_SMALL[df - 1];
  if (small !== undefined) return small;
  return (
    Z +
    (Z ** 3 + Z) / (4 * df) +
    (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / (96 * df ** 2) +
    (3 * Z ** 7 + 19 * Z ** 5 + 17 * Z ** 3 - 15 * Z) / (384 * df ** 3) +
    (79 * Z ** 9 + 776 * Z ** 7 + 1482 * Z ** 5 - 1920 * Z ** 3 - 945 * Z) / (92160 * df ** 4)
  );
}

/** Wilson's score interval of a proportion (Wilson 1927); null without trials. `successes` need not be whole. */
export function wilsonInterval(successes: number, trials: number): Interval | null {
  if (trials <= 0) return null;
  const p = successes / trials;
  const denominator = 1 + Z ** 2 / trials;
  const center = (p + Z ** 2 / (2 * trials)) / denominator;
  const half = (Z / denominator) * Math.sqrt((p * (1 - p)) / trials + Z ** 2 / (4 * trials ** 2));
  return withinUnit(center - half, center + half);
}

/**
 * 95 % interval of the mean of one value in [0, 1] per task: m ± t(T−1) · s / √T, cut to [0, 1].
 * Samples of one task are not independent, so tasks are the clusters and each counts once: with a
 * value per cluster the cluster-robust standard error is the plain one over tasks.
 * One task says nothing about others: null. Where all tasks agree (s = 0) the formula would claim
 * certainty; instead Wilson's interval with the tasks as trials, the widest that values in [0, 1] allow.
 */
export function clusteredInterval(taskValues: readonly number[]): Interval | null {
  const center = mean(taskValues);
  const variance = sampleVariance(taskValues);
  if (center === null || variance === null) return null;
  const tasks = taskValues.length;
  if (variance < NO_VARIANCE) return wilsonInterval(center * tasks, tasks);
  const half = studentT(tasks - 1) * Math.sqrt(variance / tasks);
  return withinUnit(center - half, center + half);
}

function withinUnit(low: number, high: number): Interval {
  return { low: Math.max(0, low), high: Math.min(1, high) };
}
