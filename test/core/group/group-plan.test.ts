import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  groupAt,
  groupIndexOf,
  groupsOf,
  planGroups,
  samplesOf,
  sequenceNumbers,
} from '../../../src/core/group/group-plan.js';
import {
  groupPartitionsOf,
  PARTITION_ROLLOUTS,
  partitionCount,
  partitionsOf,
} from '../../../src/core/run/partitioning.js';

const ids = fc.uniqueArray(fc.stringMatching(/^[a-z0-9-]{1,60}$/), { minLength: 1, maxLength: 30 });
const size = fc.integer({ min: 1, max: 400 });
const groups = fc.option(fc.integer({ min: 1, max: 500 }), { nil: null });

describe('a plan of groups', () => {
  it('cycles the tasks until it has as many groups as were asked for', () => {
    expect(planGroups(['a', 'b', 'c'], 5, 4)).toEqual([
      { taskId: 'a', samples: 8 },
      { taskId: 'b', samples: 8 },
      { taskId: 'c', samples: 4 },
    ]);
  });

  it('has one group per task when nobody says how many, and fewer tasks when there are fewer groups', () => {
    expect(planGroups(['a', 'b'], null, 3).map(({ samples }) => samples)).toEqual([3, 3]);
    expect(planGroups(['a', 'b'], 1, 3)).toEqual([{ taskId: 'a', samples: 3 }]);
  });

  it('works the first group of each task off before any second one', () => {
    expect(groupsOf(planGroups(['a', 'b'], 3, 8), 8)).toEqual([
      { taskId: 'a', index: 0 },
      { taskId: 'b', index: 0 },
      { taskId: 'a', index: 1 },
    ]);
  });

  it('gives every sample to exactly one group, and each group its size', () => {
    fc.assert(
      fc.property(ids, groups, size, (taskIds, count, members) => {
        const plan = planGroups(taskIds, count, members);
        const found = groupsOf(plan, members);
        expect(found).toHaveLength(count ?? taskIds.length);
        for (const { taskId, samples } of plan) {
          const own = found.filter((group) => group.taskId === taskId);
          expect(own.flatMap(({ index }) => samplesOf(index, members))).toEqual(
            Array.from({ length: samples }, (_, i) => i),
          );
          for (const { index } of own)
            expect(samplesOf(index, members).map((sample) => groupIndexOf(sample, members))).toEqual(
              Array(members).fill(index),
            );
        }
      }),
      { numRuns: 50 },
    );
  });

  it('refuses samples that are no whole groups', () => {
    expect(() => groupsOf([{ taskId: 'a', samples: 7 }], 4)).toThrow('7 samples of a are no groups of 4');
  });
});

describe('partitions of groups', () => {
  it('hold every group once, in order, at most 300 rollouts or one group, and 16 KB of history', () => {
    fc.assert(
      fc.property(ids, groups, size, (taskIds, count, members) => {
        const plan = planGroups(taskIds, count, members);
        const partitions = groupPartitionsOf(plan, members);
        expect(partitions.flat()).toEqual(groupsOf(plan, members));
        expect(partitionCount(plan, members)).toBe(partitions.length);
        for (const part of partitions) {
          if (part.length > 1) expect(part.length * members).toBeLessThanOrEqual(PARTITION_ROLLOUTS);
          const opening = { done: 0, open: [], groups: { size: members, open: part } };
          expect(JSON.stringify(opening).length).toBeLessThan(16_000);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('leave those of single rollouts as they were', () => {
    const plan = [{ taskId: 'a', samples: 700 }];
    expect(partitionCount(plan, null)).toBe(partitionsOf(plan).length);
    expect(groupPartitionsOf(plan, 7).map((part) => part.length)).toEqual([42, 42, 16]);
  });
});

describe('the sequence of groups of a run that serves', () => {
  it('numbers its groups task by task, for as long as it goes on', () => {
    const numberOf = sequenceNumbers(['a', 'b', 'c']);
    expect([0, 1, 2, 3, 100].map((n) => numberOf(groupAt(['a', 'b', 'c'], n)))).toEqual([0, 1, 2, 3, 100]);
    expect(() => numberOf({ taskId: 'x', index: 0 })).toThrow('no task x');
  });

  it('looks at each task once, however many groups are numbered', () => {
    let looks = 0;
    const names = Array.from({ length: 300 }, (_, i) => `t${i}`);
    const taskIds = new Proxy(names, {
      get(of, name, receiver) {
        if (typeof name === 'string' && /^\d+$/.test(name)) looks += 1;
        return Reflect.get(of, name, receiver);
      },
    });
    const numberOf = sequenceNumbers(taskIds);
    const found = names.map((taskId) => numberOf({ taskId, index: 2 }));
    expect(found).toEqual(names.map((_, i) => 600 + i));
    expect(looks).toBe(names.length);
  });
});
