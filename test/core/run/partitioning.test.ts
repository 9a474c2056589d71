import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PARTITION_ROLLOUTS, partitionsOf } from '../../../src/core/run/partitioning.js';

const plans = fc.array(
  fc.record({
    taskId: fc.string({ minLength: 1, maxLength: 80 }),
    samples: fc.integer({ min: 1, max: 1_000 }),
  }),
  { minLength: 1, maxLength: 40 },
);

describe('partitions of a plan', () => {
  it('hold every rollout exactly once, in the order of the plan', () => {
    fc.assert(
      fc.property(plans, (tasks) => {
        const planned = tasks.flatMap((t, i) => Array.from({ length: t.samples }, (_, s) => `${i}/${s}`));
        let task = 0;
        let next = 0;
        const found = partitionsOf(tasks).flatMap((members) =>
          members.flatMap(({ taskId, from, to }) => {
            if (from === 0 && next > 0) {
              task += 1;
              next = 0;
            }
            expect(taskId).toBe(tasks[task]?.taskId);
            expect(from).toBe(next);
            next = to;
            return Array.from({ length: to - from }, (_, i) => `${task}/${from + i}`);
          }),
        );
        expect(found).toEqual(planned);
      }),
    );
  });

  it('stay under 300 rollouts and 16 KB of history', () => {
    fc.assert(
      fc.property(plans, (tasks) => {
        for (const members of partitionsOf(tasks)) {
          expect(members.reduce((sum, m) => sum + m.to - m.from, 0)).toBeLessThanOrEqual(PARTITION_ROLLOUTS);
          const open = members.map((m) => ({
            taskId: m.taskId,
            samples: Array.from({ length: m.to - m.from }, (_, i) => m.from + i),
          }));
          expect(JSON.stringify({ done: 0, open }).length).toBeLessThan(16_000);
        }
      }),
    );
  });

  it('of one task with many samples are cut within the task', () => {
    expect(partitionsOf([{ taskId: 'a', samples: 700 }])).toEqual([
      [{ taskId: 'a', from: 0, to: 300 }],
      [{ taskId: 'a', from: 300, to: 600 }],
      [{ taskId: 'a', from: 600, to: 700 }],
    ]);
  });
});
