import { expect, it } from 'vitest';
import { LongrunError } from '../../../src/core/errors.js';
import { patiently } from '../../../src/sinks/host/patiently.js';

const away = (details: Record<string, unknown> = {}) =>
  new LongrunError('sink_unavailable', 'nobody answers', { retryable: true, details });

it('tries again until it works, waiting longer each time or as long as it is asked to', async () => {
  const waits: number[] = [];
  let tries = 0;
  const answer = await patiently(
    async () => {
      tries += 1;
      if (tries === 3) throw away({ retryAfterMs: 1 });
      if (tries < 5) throw away();
      return 'done';
    },
    {
      signal: new AbortController().signal,
      onTrouble: (_error, waitMs) => waits.push(waitMs),
      ...{ firstMs: 2, longestMs: 8, random: () => 1 },
    },
  );
  expect(answer).toBe('done');
  expect(waits).toEqual([2, 4, 1, 8]);
});

it('waits nothing out that does not pass, and not for an executor that has to stop', async () => {
  const stop = new AbortController();
  const refused = new LongrunError('sink_refused', 'no');
  const patience = { signal: stop.signal, firstMs: 60_000 };
  await expect(patiently(() => Promise.reject(refused), patience)).rejects.toBe(refused);
  const waiting = patiently(() => Promise.reject(away()), patience);
  stop.abort();
  await expect(waiting).rejects.toThrow();
});

it.each([Number.MAX_VALUE, Number.POSITIVE_INFINITY, 2 ** 40])(
  'waits an hour at most for a peer that asks for %d ms',
  async (retryAfterMs) => {
    const waits: number[] = [];
    const stop = new AbortController();
    const waiting = patiently(() => Promise.reject(away({ retryAfterMs })), {
      signal: stop.signal,
      onTrouble: (_error, waitMs) => {
        waits.push(waitMs);
        setImmediate(() => stop.abort());
      },
    });
    await expect(waiting).rejects.toThrow();
    expect(waits).toEqual([3_600_000]);
  },
);

it.each([-1, Number.NaN])('takes no account of a peer that asks for %d ms', async (retryAfterMs) => {
  const waits: number[] = [];
  let tries = 0;
  await patiently(
    async () => {
      tries += 1;
      if (tries === 1) throw away({ retryAfterMs });
    },
    {
      signal: new AbortController().signal,
      onTrouble: (_error, waitMs) => waits.push(waitMs),
      firstMs: 2,
      random: () => 1,
    },
  );
  expect(waits).toEqual([2]);
});
