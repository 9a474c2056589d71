import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Allowance } from '../../../src/sinks/host/allowance.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function allowanceOf({ close = true, fail = 0 } = {}) {
  const stop = new AbortController();
  const sent: number[] = [];
  let failures = fail;
  const allowance = new Allowance({
    send: async (limit) => {
      if (failures-- > 0) throw new Error('Temporal is away');
      sent.push(limit);
    },
    close: () => close,
    onTrouble: () => undefined,
    signal: stop.signal,
  });
  return { allowance, sent, stop };
}

it('says the newest limit, not each of them', async () => {
  const { allowance, sent, stop } = allowanceOf();
  for (let limit = 1; limit <= 5; limit++) allowance.allow(limit);
  await vi.advanceTimersByTimeAsync(10);
  for (let limit = 6; limit <= 9; limit++) allowance.allow(limit);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(sent[0]).toBeLessThanOrEqual(5);
  expect(sent.at(-1)).toBe(9);
  expect(sent.length).toBeLessThanOrEqual(3);
  stop.abort();
  await allowance.stopped();
});

it('takes its time where the run is far from its limit', async () => {
  const { allowance, sent, stop } = allowanceOf({ close: false });
  allowance.allow(100);
  await vi.advanceTimersByTimeAsync(10);
  allowance.allow(101);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent).toEqual([100]);
  await vi.advanceTimersByTimeAsync(11_000);
  expect(sent).toEqual([100, 101]);
  // Less is said soon all the same.
  allowance.allow(50);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(sent).toEqual([100, 101, 50]);
  stop.abort();
  await allowance.stopped();
});

it('says it until it is heard, and again now and then', async () => {
  const { allowance, sent, stop } = allowanceOf({ fail: 3 });
  allowance.allow(7);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent).toEqual([7]);
  await vi.advanceTimersByTimeAsync(11 * 60_000);
  expect(sent).toEqual([7, 7]);
  stop.abort();
  await allowance.stopped();
});

it('ends with its executor', async () => {
  const { allowance, sent, stop } = allowanceOf({ fail: 100 });
  allowance.allow(7);
  await vi.advanceTimersByTimeAsync(5_000);
  stop.abort();
  await allowance.stopped();
  expect(sent).toEqual([]);
});
