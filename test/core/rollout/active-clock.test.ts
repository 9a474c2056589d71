import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ActiveClock } from '../../../src/core/rollout/active-clock.js';

describe("the agent's clock", () => {
  it('is the sum of what was charged, in any order and any portions', () => {
    const durations = fc.array(fc.integer({ min: 0, max: 100_000 }));
    fc.assert(
      fc.property(durations, fc.integer({ min: 1, max: 1_000_000 }), (charges, limit) => {
        const clock = new ActiveClock(limit);
        for (const charge of charges) clock.charge(charge);
        const sum = charges.reduce((a, b) => a + b, 0);
        expect(clock.elapsedMs).toBe(sum);
        expect(clock.remainingMs).toBe(Math.max(0, limit - sum));
        expect(clock.expired).toBe(sum >= limit);
      }),
    );
  });

  it('never runs backwards, whatever another clock says', () => {
    const clock = new ActiveClock(100);
    clock.charge(40);
    clock.charge(-1_000);
    expect(clock.remainingMs).toBe(60);
  });

  it('never ends without a limit', () => {
    const clock = new ActiveClock(null);
    clock.charge(1e12);
    expect([clock.expired, clock.remainingMs]).toEqual([false, Number.POSITIVE_INFINITY]);
  });
});
