import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passAtK } from '../../../src/core/statistics/pass-at-k.js';

/** Share of all k-subsets of n samples, the first c of which passed, that hold a pass. */
function byEnumeration(n: number, c: number, k: number): number {
  let subsets = 0;
  let withPass = 0;
  for (let mask = 0; mask < 2 ** n; mask++) {
    const members = Array.from({ length: n }, (_, i) => (mask >> i) & 1);
    if (members.reduce((sum, bit) => sum + bit, 0) !== k) continue;
    subsets += 1;
    if (members.slice(0, c).includes(1)) withPass += 1;
  }
  return withPass / subsets;
}

const counts = fc
  .integer({ min: 1, max: 200 })
  .chain((n) =>
    fc.record({ n: fc.constant(n), c: fc.integer({ min: 0, max: n }), k: fc.integer({ min: 1, max: n }) }),
  );

describe('pass@k', () => {
  it('is the share of k-subsets of the samples that hold a pass', () => {
    for (let n = 1; n <= 10; n++) {
      for (let c = 0; c <= n; c++) {
        for (let k = 1; k <= n; k++) expect(passAtK(n, c, k)).toBeCloseTo(byEnumeration(n, c, k), 12);
      }
    }
  });

  it('is the pass rate for k = 1', () => {
    fc.assert(
      fc.property(counts, ({ n, c }) => {
        expect(passAtK(n, c, 1)).toBeCloseTo(c / n, 12);
      }),
    );
  });

  it('lies in [0, 1] and never falls with k or with more passes', () => {
    fc.assert(
      fc.property(counts, ({ n, c, k }) => {
        const value = passAtK(n, c, k) as number;
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
        if (k < n) expect(passAtK(n, c, k + 1)).toBeGreaterThanOrEqual(value - 1e-12);
        if (c < n) expect(passAtK(n, c + 1, k)).toBeGreaterThanOrEqual(value - 1e-12);
      }),
    );
  });

  it('is unbiased: its mean over binomial draws is 1 − (1 − p)^k', () => {
    const n = 12;
    const choose = (c: number): number =>
      Array.from({ length: c }, (_, i) => (n - i) / (i + 1)).reduce((a, b) => a * b, 1);
    for (const p of [0.05, 0.3, 0.9]) {
      for (let k = 1; k <= n; k++) {
        let expected = 0;
        for (let c = 0; c <= n; c++)
          expected += choose(c) * p ** c * (1 - p) ** (n - c) * (passAtK(n, c, k) as number);
        expect(expected).toBeCloseTo(1 - (1 - p) ** k, 10);
      }
    }
  });

  it('stays a number for thousands of samples', () => {
    expect(passAtK(10_000, 1, 5_000)).toBeCloseTo(0.5, 10);
    expect(passAtK(10_000, 0, 10_000)).toBe(0);
    expect(passAtK(10_000, 9_999, 2)).toBe(1);
  });

  it('cannot be estimated from fewer than k samples, and refuses nonsense', () => {
    expect(passAtK(2, 1, 3)).toBeNull();
    expect(passAtK(0, 0, 1)).toBeNull();
    for (const [n, c, k] of [
      [3, 4, 1],
      [3, -1, 1],
      [3, 1, 0],
      [3.5, 1, 1],
    ] as const) {
      expect(() => passAtK(n, c, k)).toThrow(RangeError);
    }
  });
});
