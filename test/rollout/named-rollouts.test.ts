import { describe, expect, it } from 'vitest';
import type { RolloutKey } from '../../src/core/ids.js';
import { namedRollouts } from '../../src/replay/named-rollouts.js';

const rollout = (taskId: string, sample = 0): RolloutKey => ({ runId: 'r', taskId, sample });

describe('the rollouts that a replay names', () => {
  it('come in the order of the run, named with it or without', () => {
    const planned = [rollout('a'), rollout('a', 1), rollout('b')];
    expect(namedRollouts('r', planned, ['b/0', 'r/a/1', 'b/0'])).toEqual([rollout('a', 1), rollout('b')]);
    expect(namedRollouts('r', planned, [])).toEqual(planned);
  });

  it('are refused by name where the run has no such rollout', () => {
    const refusal = (id: string) => () => namedRollouts('r', [rollout('a')], ['a/0', id]);
    expect(refusal('a/1')).toThrow('run r has no rollout a/1');
    expect(refusal('other/a/0')).toThrow('"other/a/0" is not the id of a rollout of run r');
    expect(refusal('a')).toThrow('"a" is not the id of a rollout of run r');
  });

  it('are found by looking at each rollout of the run a few times, however many are named', () => {
    let looks = 0;
    const planned = Array.from({ length: 500 }, (_, i) => {
      const key = rollout(`t${i}`);
      return Object.defineProperty({ ...key }, 'taskId', {
        enumerable: true,
        get() {
          looks += 1;
          return key.taskId;
        },
      });
    });
    const ids = planned.map((_, i) => `t${i}/0`);
    expect(namedRollouts('r', planned, ids)).toHaveLength(500);
    expect(looks).toBeLessThan(5 * planned.length);
  });
});
