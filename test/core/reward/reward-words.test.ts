import { describe, expect, it } from 'vitest';
import { feedbackValue } from '../../../src/core/reward/feedback-value.js';
import { parseRewardOrder } from '../../../src/core/reward/reward-order.js';
import { effectiveReward } from '../../../src/core/trajectory/effective-reward.js';
import { signal } from './episode-of.js';

describe('what a person says of a rollout', () => {
  it.each([
    ['up', 1],
    ['UP', 1],
    ['👍', 1],
    ['👍🏽', 1],
    ['👍️', 1],
    ['down', 0],
    ['👎', 0],
    ['0.3', 0.3],
    ['-1', -1],
    ['+2.5', 2.5],
    ['1e-3', 0.001],
  ])('%s is worth %s', (word, value) => {
    expect(feedbackValue(word)).toBe(value);
  });

  it.each(['', 'good', 'NaN', 'Infinity', '0x10', '1,5', '1e999', '__proto__'])('"%s" is refused', (word) => {
    expect(() => feedbackValue(word)).toThrow(/accepted: up, down/);
  });
});

describe('which reward counts', () => {
  const rewards = [
    signal('implicit', 0.1),
    signal('environment', 0),
    signal('user', 1),
    signal('user', 0.5, { at: 9 }),
  ];

  it('is the environment’s, then the newest word of a user, unless another order is asked for', () => {
    expect(effectiveReward(rewards, parseRewardOrder(undefined))).toBe(0);
    expect(effectiveReward(rewards, parseRewardOrder('user,environment'))).toBe(0.5);
    expect(effectiveReward(rewards, parseRewardOrder('reward-model, implicit'))).toBe(0.1);
    expect(effectiveReward(rewards, parseRewardOrder('reward_model'))).toBeNull();
  });

  it('refuses an order that names no source, or one twice', () => {
    expect(() => parseRewardOrder('envronment')).toThrow(/found "envronment".*environment, user/);
    expect(() => parseRewardOrder('user,user')).toThrow(/"user" twice/);
    expect(() => parseRewardOrder('')).toThrow(/accepted/);
  });
});
