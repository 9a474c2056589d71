import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusteredInterval, studentT, wilsonInterval } from '../../../src/core/statistics/interval.js';
import { mean, sampleVariance } from '../../../src/core/statistics/mean.js';

const unit = fc.double({ min: 0, max: 1, noNaN: true });

describe('the interval of a mean over tasks', () => {
  it('is m ± t · s / √T', () => {
    const found = clusteredInterval([0.2, 0.4, 0.5, 0.5, 0.9]);
    // m = 0.5, s = √0.065, t(4) = 2.776445
    const half = (2.776445 * Math.sqrt(0.065)) / Math.sqrt(5);
    expect(found?.low).toBeCloseTo(0.5 - half, 5);
    expect(found?.high).toBeCloseTo(0.5 + half, 5);
  });

  it('does not exist for one task or none', () => {
    expect(clusteredInterval([])).toBeNull();
    expect(clusteredInterval([0.4])).toBeNull();
  });

  it('does not claim certainty where all tasks agree', () => {
    const allPass = clusteredInterval(Array.from({ length: 12 }, () => 1));
    expect(allPass).toEqual(wilsonInterval(12, 12));
    expect(allPass?.low).toBeCloseTo(0.7575, 3);
    expect(allPass?.high).toBe(1);
    expect(clusteredInterval([0, 0, 0])?.low).toBe(0);
    // 0.1 added up is not exactly 0.1 three times over: still no variance.
    expect(clusteredInterval([0.1, 0.1, 0.1])).toEqual(
      wilsonInterval((mean([0.1, 0.1, 0.1]) as number) * 3, 3),
    );
  });

  it('holds the mean, lies in [0, 1] and does not depend on the order of tasks', () => {
    fc.assert(
      fc.property(fc.array(unit, { minLength: 2, maxLength: 60 }), (values) => {
        const found = clusteredInterval(values);
        const center = mean(values) as number;
        expect(found?.low).toBeGreaterThanOrEqual(0);
        expect(found?.low).toBeLessThanOrEqual(center + 1e-9);
        expect(found?.high).toBeGreaterThanOrEqual(center - 1e-9);
        expect(found?.high).toBeLessThanOrEqual(1);
        const reversed = clusteredInterval([...values].reverse());
        expect(reversed?.low).toBeCloseTo(found?.low as number, 9);
      }),
    );
  });

  it('grows narrower as tasks are added', () => {
    const width = (tasks: number): number => {
      const found = clusteredInterval(Array.from({ length: tasks }, (_, i) => i % 2));
      return (found?.high as number) - (found?.low as number);
    };
    expect(width(100)).toBeLessThan(width(20));
    expect(width(1_000)).toBeLessThan(width(100));
  });
});

describe("Student's t", () => {
  it.each([
    [1, 12.706205],
    [9, 2.262157],
    [10, 2.228139],
    [11, 2.200985],
    [29, 2.04523],
    [99, 1.984217],
    [1e6, 1.959966],
  ])('with %i degrees of freedom is %f', (df, expected) => expect(studentT(df)).toBeCloseTo(expected, 4));
});

describe("Wilson's interval", () => {
  it('agrees with published values and has no trials to speak of at 0', () => {
    const found = wilsonInterval(8, 10);
    expect(found?.low).toBeCloseTo(0.4901625, 6);
    expect(found?.high).toBeCloseTo(0.9433178, 6);
    expect(wilsonInterval(0, 0)).toBeNull();
  });
});

describe('means and variances', () => {
  it('of too little are null', () => {
    expect(mean([])).toBeNull();
    expect(sampleVariance([1])).toBeNull();
    expect(sampleVariance([1, 2, 3, 4])).toBeCloseTo(5 / 3, 12);
  });
});
