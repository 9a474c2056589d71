import { describe, expect, it } from 'vitest';
import { judgeGroup } from '../../../src/core/advantage/judge-group.js';
import { type GroupConfig, groupConfigSchema } from '../../../src/core/group/group-config.schema.js';

const group = (...rewards: (number | null)[]) => ({
  groupId: 'run/task/0',
  members: rewards.map((reward, i) => ({
    reward,
    steps: reward === null ? [] : [{ tokens: 10 * (i + 1), reward: null, anchor: null }],
  })),
});
const config = (changes: Partial<GroupConfig> = {}): GroupConfig => ({
  ...groupConfigSchema.parse({}),
  groupSize: 4,
  ...changes,
});

describe('a group is judged', () => {
  it('valid under complete when all members have a score', () => {
    expect(judgeGroup(config(), group(1, 0, 1, 0))).toEqual({
      valid: true,
      reason: null,
      advantages: [[1], [-1], [1], [-1]],
      mean: 0.5,
      std: 0.5,
      zeroVariance: false,
    });
  });

  it('by its scored members alone: a missing score is in no mean', () => {
    const judged = judgeGroup(config({ groupPolicy: 'min-valid', minValid: 2 }), group(2, null, null, 4));
    expect(judged).toMatchObject({ valid: true, mean: 3, std: 1, advantages: [[-1], null, null, [1]] });
  });

  it.each([
    [[1e308, 1e308, 1e308, 1e308]],
    [[1e308, -1e308, 1e200, 0]],
    [[Number.POSITIVE_INFINITY, 0, 1, 2]],
  ])('not valid with the rewards %j, which no mean or spread can be made of', (rewards) => {
    expect(judgeGroup(config(), group(...rewards))).toEqual({
      valid: false,
      reason: 'its rewards are too large: their mean and spread are no finite numbers',
      advantages: null,
      mean: null,
      std: null,
      zeroVariance: false,
    });
  });

  it('not valid, without advantages, when too few have one', () => {
    expect(judgeGroup(config(), group(1, null, 1, 0))).toMatchObject({
      valid: false,
      reason: '3 of 4 members have a score, 4 are needed',
      advantages: null,
    });
  });

  it('without mean or variance when none has one', () => {
    expect(judgeGroup(config(), group(null, null, null, null))).toMatchObject({
      mean: null,
      std: null,
      zeroVariance: false,
      valid: false,
    });
  });

  it('flagged, with advantages of 0, when all rewards are the same', () => {
    expect(judgeGroup(config(), group(0.1, 0.1, 0.1, 0.1))).toMatchObject({
      valid: true,
      zeroVariance: true,
      std: 0,
      advantages: [[0], [0], [0], [0]],
    });
  });

  it('without advantages where the estimator needs a batch of groups', () => {
    const judged = judgeGroup(config({ estimator: 'reinforce++' }), group(1, 0, 1, 0));
    expect(judged).toMatchObject({ valid: true, advantages: null, mean: 0.5 });
  });

  it('not valid, in the words of the estimator, where that cannot take the rewards', () => {
    const judged = judgeGroup(config({ estimator: 'maxrl' }), group(1, -1, 1, 0));
    expect(judged).toMatchObject({ valid: false, reason: expect.stringContaining('has the reward -1') });
  });

  it('with length taken off the rewards before they are compared, and the plain ones in its mean', () => {
    const judged = judgeGroup(config({ tokenPenalty: 0.5, estimator: 'dr-grpo' }), group(1, 1, 1, 1));
    const [short, , , long] = judged.advantages ?? [];
    expect(Number(short?.[0])).toBeGreaterThan(Number(long?.[0]));
    expect(judged).toMatchObject({ mean: 1, std: 0, zeroVariance: false });
  });
});
