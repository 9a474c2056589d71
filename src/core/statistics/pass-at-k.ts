/**
 * Unbiased estimate that at least one of k samples passes, from n samples of which c passed:
 * 1 − C(n−c, k) / C(n, k) (Chen et al. 2021, eq. 1). Null when n < k: k cannot be estimated.
 * Computed as a product of factors in [0, 1], so that no binomial coefficient overflows.
 */
export function passAtK(n: number, c: number, k: number): number | null {
  if (![n, c, k].every(Number.isInteger) || k < 1 || c < 0 || c > n) {
    throw new RangeError(
      `pass@k needs whole numbers with k >= 1 and 0 <= c <= n, found n=${n} c=${c} k=${k}`,
    );
  }
  if (n < k) return null;
  if (n - c < k) return 1;
  let allFail = 1;
  for (let i = n - c + 1; i <= n; i++) allFail *= 1 - k / i;
  return 1 - allFail;
}
