import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { fillBatch } from '../../../src/sinks/listen/fill-batch.js';
import { threat } from '../../support/threat.js';

test.each([
  ['sizes alike', [8, 8, 8, 8, 8], 32, [0, 1, 2, 3]],
  ['too few', [8, 8], 32, null],
  ['nothing', [], 8, null],
  ['the oldest where it fits', [4, 6, 4, 4, 6], 12, [0, 2, 3]],
  ['past one that has no partner', [6, 4, 4, 4], 12, [1, 2, 3]],
  ['one as large as the batch', [12, 4], 12, [0]],
])('%s', (_what, sizes, target, filled) => {
  expect(fillBatch(sizes, target)).toEqual(filled);
});

test('it fills exactly, with the oldest that can be, and never blocks sizes that divide the batch', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(1, 2, 3, 4, 6, 12), { maxLength: 14 }), (sizes) => {
      const target = 12;
      const filled = fillBatch(sizes, target);
      expect(filled).toEqual(oldestOf(sizes, target));
      const enoughAlike = [1, 2, 3, 4, 6, 12].some((s) => sizes.filter((x) => x === s).length * s >= target);
      if (enoughAlike) expect(filled).not.toBeNull();
    }),
    { numRuns: 300 },
  );
});

/** By trying all of them: the first in the order of their members. */
function oldestOf(sizes: readonly number[], target: number, from = 0): number[] | null {
  if (target === 0) return [];
  for (let i = from; i < sizes.length; i++) {
    const rest =
      (sizes[i] as number) <= target ? oldestOf(sizes, target - (sizes[i] as number), i + 1) : null;
    if (rest !== null) return [i, ...rest];
  }
  return null;
}

describe(threat('a client of the HTTP API', 'the process that answers everybody'), () => {
  it('sizes without number that never add up to a batch are given up, and those that do are found', () => {
    const pairs = Array.from({ length: 70_000 }, () => 2);
    expect(fillBatch(pairs, 8_191)).toBeNull();
    expect(fillBatch([3, ...pairs], 8_192)).toHaveLength(4_096);
    expect(fillBatch([...Array.from({ length: 8_000 }, () => 3), ...pairs], 8_192)).toHaveLength(2_731);
    expect(fillBatch(pairs, 2 ** 53)).toBeNull();
  });
});
