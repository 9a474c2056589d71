import { describe, expect, it } from 'vitest';
import type { RolloutResult } from '../../src/store/records/records.schema.js';
import { whichCounts } from '../../src/store/which-counts.js';
import { lostResult, result } from './fixtures.js';

const replayed = (attempt: number, changes: Partial<RolloutResult> = {}): RolloutResult =>
  result({ attempt, ...changes });

describe('the result of a rollout that counts', () => {
  it('is the sealed one when that is scored, whatever its replays came to', () => {
    const sealed = result({ reward: 0 });
    expect(whichCounts(sealed, [replayed(2, { reward: 1 })])).toBe(sealed);
  });

  it('is the first scored replay of an infrastructure failure, by attempt number and not by speed', () => {
    const early = { ...result().timings, finishedAt: 1 };
    const replays = [
      replayed(4, { reward: 1, timings: early }),
      replayed(3, { reward: 0 }),
      lostResult({ attempt: 2 }),
    ];
    expect(whichCounts(lostResult(), replays)).toMatchObject({ attempt: 3, reward: 0 });
  });

  it('stays the failure while no replay has been scored', () => {
    const sealed = lostResult();
    expect(whichCounts(sealed, [])).toBe(sealed);
    expect(whichCounts(sealed, [lostResult({ attempt: 2 })])).toBe(sealed);
  });

  it('carries what all attempts cost', () => {
    const sealed = lostResult({ attempts: 2, costUsd: 0.25 });
    const counted = whichCounts(sealed, [
      lostResult({ attempt: 3, costUsd: null }),
      replayed(4, { costUsd: 0.5 }),
    ]);
    expect(counted).toMatchObject({ attempt: 4, attempts: 4, costUsd: 0.75 });
    expect(counted.usage.promptTokens).toBe(2 * sealed.usage.promptTokens + result().usage.promptTokens);
  });
});
