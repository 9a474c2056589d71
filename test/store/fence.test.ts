import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareFences, type Fence, fenceName, parseFenceName } from '../../src/core/rollout/fence.js';
import { assertFence, highestFence, raiseFence } from '../../src/store/fence-store.js';
import { attemptKey } from './fixtures.js';
import { tempStore } from './temp-store.js';

const fence = (incarnation: number, slice: number, activityAttempt: number): Fence => ({
  incarnation,
  slice,
  activityAttempt,
});

describe('an executor', () => {
  it('may act while its fence is the highest, and raise it again after a retry of the write', async () => {
    const store = await tempStore();
    await raiseFence(store, attemptKey, fence(1, 1, 1));
    await raiseFence(store, attemptKey, fence(1, 1, 1));
    await assertFence(store, attemptKey, fence(1, 1, 1));
  });

  it.each([
    ['the next try of its activity', fence(1, 1, 2)],
    ['a later slice', fence(1, 2, 1)],
    ['a recovered run, whatever its slice', fence(2, 0, 1)],
  ])('stops for %s', async (_, newer) => {
    const store = await tempStore();
    await raiseFence(store, attemptKey, fence(1, 1, 1));
    await raiseFence(store, attemptKey, newer);
    const fenced = { code: 'fenced', retryable: false, details: { highest: newer } };
    await expect(assertFence(store, attemptKey, fence(1, 1, 1))).rejects.toMatchObject(fenced);
    await assertFence(store, attemptKey, newer);
  });

  it('that comes late is told so when it raises its fence', async () => {
    const store = await tempStore();
    await raiseFence(store, attemptKey, fence(1, 3, 1));
    await expect(raiseFence(store, attemptKey, fence(1, 2, 9))).rejects.toMatchObject({ code: 'fenced' });
    expect(await highestFence(store, attemptKey)).toEqual(fence(1, 3, 1));
  });

  it('is not stopped by fences of other attempts', async () => {
    const store = await tempStore();
    await raiseFence(store, { ...attemptKey, attempt: 2 }, fence(9, 9, 9));
    await raiseFence(store, attemptKey, fence(1, 1, 1));
  });
});

describe('of many executors that race', () => {
  it('exactly the highest stays', async () => {
    const store = await tempStore();
    const racers = Array.from({ length: 20 }, (_, i) => fence(1, Math.floor(i / 4), i % 4));
    await Promise.allSettled(racers.map((racer) => raiseFence(store, attemptKey, racer)));
    const asked = await Promise.allSettled(racers.map((racer) => assertFence(store, attemptKey, racer)));
    expect(asked.map((answer) => answer.status).indexOf('fulfilled')).toBe(19);
    expect(asked.filter((answer) => answer.status === 'fulfilled')).toHaveLength(1);
  });
});

describe('fence names', () => {
  const part = fc.integer({ min: 0, max: 99_999_999 });
  const fences = fc.record({ incarnation: part, slice: part, activityAttempt: part });

  it('sort as the fences do and read back', () => {
    fc.assert(
      fc.property(fences, fences, (a, b) => {
        expect(parseFenceName(fenceName(a))).toEqual(a);
        const byName = fenceName(a) < fenceName(b) ? -1 : Number(fenceName(a) > fenceName(b));
        expect(Math.sign(compareFences(a, b))).toBe(byName);
      }),
    );
  });

  it('are told from other names', () => {
    expect(parseFenceName('1-2-3')).toBeNull();
    expect(parseFenceName(`${fenceName(fence(1, 2, 3))}.tmp`)).toBeNull();
  });
});
