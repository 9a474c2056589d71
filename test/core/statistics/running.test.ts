import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Histogram } from '../../../src/core/statistics/histogram.js';
import { mean, sampleVariance } from '../../../src/core/statistics/mean.js';
import { RunningCovariance } from '../../../src/core/statistics/running-covariance.js';
import { RunningMoments } from '../../../src/core/statistics/running-moments.js';

const value = fc.double({ min: -100, max: 100, noNaN: true });

describe('statistics of a stream', () => {
  it('are those of the whole list', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 2, maxLength: 50 }), (values) => {
        const moments = new RunningMoments();
        for (const one of values) moments.add(one);
        expect(moments.mean).toBeCloseTo(mean(values) as number, 8);
        expect(moments.variance).toBeCloseTo(sampleVariance(values) as number, 6);
        expect([moments.min, moments.max]).toEqual([Math.min(...values), Math.max(...values)]);
      }),
    );
  });

  it('correlate two streams as Pearson does', () => {
    const pairs = [
      [1, 2],
      [2, 4],
      [3, 5],
      [4, 4],
      [5, 5],
    ] as const;
    const both = new RunningCovariance();
    for (const [x, y] of pairs) both.add(x, y);
    // cov = 1.5, sd(x)² = 2.5, sd(y)² = 1.5
    expect(both.covariance).toBeCloseTo(1.5, 12);
    expect(both.correlation).toBeCloseTo(1.5 / Math.sqrt(2.5 * 1.5), 12);
  });

  it('know no correlation where one side never changes', () => {
    const flat = new RunningCovariance();
    expect(flat.correlation).toBeNull();
    for (const x of [0.1, 0.2, 0.3]) flat.add(x, 0.1 + 0.2);
    expect(flat.correlation).toBeNull();
    expect(new RunningMoments().mean).toBeNull();
  });
});

describe('a histogram of rewards', () => {
  const of = (values: number[]) => {
    const histogram = new Histogram();
    for (const one of values) histogram.add(one);
    return histogram.bins();
  };

  it('has bins a tenth wide, each value in the one that begins at or below it', () => {
    const bins = of([0, 0.05, 0.3, 0.7, 1, 1]);
    expect(bins).toHaveLength(11);
    expect(bins[0]).toEqual({ from: 0, to: 0.1, count: 2 });
    expect(bins[3]).toEqual({ from: 0.3, to: 0.4, count: 1 });
    expect(bins[7]?.count).toBe(1);
    expect(bins[10]).toEqual({ from: 1, to: 1.1, count: 2 });
  });

  it('widens its bins when rewards go further, and loses none', () => {
    expect(of([])).toEqual([]);
    const bins = of([-3, 0.5, 250, 1e300]);
    expect(bins.length).toBeLessThanOrEqual(24);
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(4);
    fc.assert(
      fc.property(fc.array(value, { maxLength: 100 }), (values) => {
        const found = of(values);
        expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
        expect(found.length).toBeLessThanOrEqual(24);
      }),
    );
  });
});

it.each([1e16, 1e300, Number.MAX_VALUE])(
  'a histogram with %d in it has few bins, which hold every value',
  (far) => {
    const histogram = new Histogram();
    const values = [0, 0.5, far, -far, 1];
    for (const one of values) histogram.add(one);
    const bins = histogram.bins();
    expect(bins.length).toBeLessThanOrEqual(24);
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
  },
);
