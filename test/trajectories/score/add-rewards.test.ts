import { describe, expect, it } from 'vitest';
import type { RewardShape } from '../../../src/core/reward/shaped-signal.js';
import { effectiveReward } from '../../../src/core/trajectory/effective-reward.js';
import { addRewards } from '../../../src/trajectories/score/add-rewards.js';
import { episodeOf, signal } from '../../core/reward/episode-of.js';

const KEPT = {
  schemaVersion: 1 as const,
  sessionId: 's',
  by: 'judge',
  at: 10,
  score: 0.7,
  components: {},
  rationale: null,
  usage: null,
  costUsd: null,
};
const CONTINUOUS: RewardShape = { kind: 'continuous' };
const BINARY: RewardShape = { kind: 'binary', threshold: 0.5 };
const COMPOSITE: RewardShape = {
  kind: 'composite',
  weights: { environment: { weight: 1, missing: null, limit: null } },
};

describe('the rewards of a row', () => {
  it('are all kept, and of one source the one that was asked for last counts', () => {
    let episode = episodeOf([{}], { rewards: [signal('environment', 0.2)] });
    const shapes = [CONTINUOUS, BINARY, COMPOSITE, CONTINUOUS, BINARY];
    const counted = shapes.map((shape, i) => {
      episode = addRewards(episode, shape === COMPOSITE ? null : KEPT, {
        shape,
        implicit: false,
        now: 100 + i,
      }).episode;
      return effectiveReward(episode.rewards, ['reward_model']);
    });
    expect(counted).toEqual([0.7, 1, 0.2, 0.7, 1]);
    expect(episode.rewards.map(({ shape }) => shape)).toEqual([null, 'composite', 'continuous', 'binary']);
  });

  it('stay as they are where a part of a composite is missing', () => {
    const episode = episodeOf([{}], { rewards: [signal('user', 1)] });
    const found = addRewards(episode, null, { shape: COMPOSITE, implicit: false, now: 1 });
    expect(found).toEqual({ episode, added: [], lacks: ['environment'] });
  });
});
