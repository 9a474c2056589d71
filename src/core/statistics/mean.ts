/** Arithmetic mean; null of nothing. */
export function mean(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Unbiased sample variance (divisor n − 1); null of fewer than two values. */
export function sampleVariance(values: readonly number[]): number | null {
  const center = mean(values);
  if (center === null || values.length < 2) return null;
  return values.reduce((sum, value) => sum + (value - center) ** 2, 0) / (values.length - 1);
}
