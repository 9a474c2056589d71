import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { firstOf } from '../../src/sandbox/docker/first-of.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it.each([2 ** 31, 2 ** 53, Number.MAX_VALUE, Number.POSITIVE_INFINITY])(
  'a command that may take %d ms is not over at once',
  async (limitMs) => {
    const stop = new AbortController();
    let over: string | null = null;
    const waiting = firstOf(new Promise(() => {}), limitMs, stop.signal).then(
      (how) => {
        over = how;
      },
      () => undefined,
    );
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(over).toBeNull();
    stop.abort();
    await waiting;
  },
);
