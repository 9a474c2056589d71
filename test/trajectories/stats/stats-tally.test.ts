import { describe, expect, it } from 'vitest';
import { compositeSignal } from '../../../src/core/reward/shaped-signal.js';
import type { Episode } from '../../../src/core/trajectory/episode.schema.js';
import type { RewardSignal } from '../../../src/core/trajectory/reward-signal.schema.js';
import type { StatsReport } from '../../../src/trajectories/stats/stats-report.schema.js';
import { StatsTally } from '../../../src/trajectories/stats/stats-tally.js';
import { episodeOf, signal } from '../../core/reward/episode-of.js';

const ORDER = ['environment', 'user', 'reward_model', 'implicit'] as const;

function statsOf(
  episodes: readonly Episode[],
  order: readonly (typeof ORDER)[number][] = ORDER,
): StatsReport {
  const tally = new StatsTally({ order, passThreshold: 1 });
  for (const episode of episodes) tally.add(episode);
  return tally.report();
}

const rewarded = (rewards: RewardSignal[], groupId: string | null = null): Episode =>
  episodeOf([{}], { rewards, groupId });

describe('statistics of trajectories', () => {
  it('count rows, turns, tokens, tools and reasoning', () => {
    const stats = statsOf([
      episodeOf([
        { thinks: 'hm', completionTokens: 20, calls: [{ name: 'terminal', ok: true }] },
        { completionTokens: 10, calls: [{ name: 'terminal', ok: false }, { name: 'patch' }] },
      ]),
      episodeOf([{ says: 'x'.repeat(40), thinks: 'y' }], {
        outcome: { ...episodeOf([{}]).outcome, stopReason: 'max_turns', completed: false },
      }),
    ]);
    expect(stats).toMatchObject({
      rows: 2,
      completed: 1,
      stopReasons: { natural: 1, max_turns: 1 },
      turns: { mean: 1.5, min: 1, max: 2 },
      tokens: { answersTotal: 41, countedRows: 1, promptsTotal: 200 },
      tools: [
        { name: 'terminal', calls: 2, success: 1, failure: 1, unknown: 0 },
        { name: 'patch', calls: 1, unknown: 1 },
      ],
      toolSuccess: 0.5,
      reasoning: { answers: 3, withReasoning: 2, rowsWithAny: 2, rowsWithAll: 1 },
    });
  });

  it('of nothing are empty', () => {
    expect(statsOf([])).toMatchObject({
      rows: 0,
      toolSuccess: null,
      rewards: { shape: null, histogram: [], composite: null, groups: { share: null }, warnings: [] },
    });
  });
});

describe('what the rewards are worth', () => {
  it('binary: how many groups teach nothing, because all their rewards are the same', () => {
    const env = (value: number, group: string | null) => rewarded([signal('environment', value)], group);
    const { rewards } = statsOf([
      ...[env(1, 'a'), env(1, 'a'), env(0, 'b'), env(0, 'b'), env(1, 'c'), env(0, 'c')],
      ...[env(1, 'd'), rewarded([], 'd'), env(0, null), env(0, null)],
    ]);
    expect(rewards).toMatchObject({
      shape: 'binary',
      missing: 1,
      effective: { count: 9 },
      groups: { compared: 3, zeroVariance: 2, share: 2 / 3, alone: 1 },
    });
    expect(rewards.warnings).toEqual([expect.stringMatching(/sparse: in 2 of 3 groups/)]);
  });

  it('continuous: whether the intermediate reward goes along with the final test', () => {
    const rows = Array.from({ length: 20 }, (_, i) => {
      const passed = i % 2;
      const model = signal('reward_model', passed * 0.5 + (i % 4) * 0.1, {
        components: { style: (i * 7) % 5 },
      });
      return rewarded([
        signal('environment', passed, { components: { coverage: passed ? 0.9 : 0.2 } }),
        model,
      ]);
    });
    const { rewards } = statsOf(rows);
    const r = Object.fromEntries(rewards.correlations.map((found) => [found.signal, found.withReward ?? 0]));
    expect(r['environment.coverage']).toBeCloseTo(1, 9);
    expect(r.reward_model).toBeGreaterThan(0.9);
    expect(Math.abs(r['reward_model.style'] as number)).toBeLessThan(0.3);
    expect(rewards.warnings).toEqual([expect.stringContaining('reward_model.style hardly goes along')]);
  });

  it('goes by the run’s own word on what passed, where a row has it', () => {
    const row = (reward: number, score: number) => {
      const { outcome } = episodeOf([{}]);
      const rewards = [signal('environment', reward), signal('user', score)];
      return episodeOf([{}], { rewards, outcome: { ...outcome, passed: reward >= 0.5 } });
    };
    const { rewards } = statsOf([row(0.6, 1), row(0.7, 1), row(0.4, 0), row(0.1, 0)]);
    expect(rewards.correlations).toMatchObject([{ signal: 'user', rows: 4, withPass: expect.closeTo(1, 9) }]);
    expect(rewards.correlations[0]?.withReward).toBeLessThan(1);
  });

  it('composite: the weight of each part, what it contributes, and how much of the differences it makes', () => {
    const weights = {
      environment: { weight: 3, missing: null, limit: null },
      tool_success: { weight: 1, missing: null, limit: null },
    };
    const rows = Array.from({ length: 12 }, (_, i) => {
      const call = { name: 'terminal', ok: i % 3 !== 0 };
      const episode = episodeOf([{ calls: [call] }], { rewards: [signal('environment', i % 2)] });
      const composite = compositeSignal(episode, weights, null, 5) as RewardSignal;
      return { ...episode, rewards: [...episode.rewards, composite] };
    });
    const { rewards } = statsOf(rows, ['reward_model']);
    expect(rewards.shape).toBe('composite');
    const parts = rewards.composite?.parts ?? [];
    expect(parts).toMatchObject([
      { name: 'environment', weight: { min: 3, max: 3 }, meanContribution: expect.closeTo(0.375, 9) },
      { name: 'tool_success', weight: { min: 1, max: 1 }, meanContribution: expect.closeTo(1 / 6, 9) },
    ]);
    const [first, second] = parts.map(({ varianceShare }) => varianceShare as number) as [number, number];
    expect(first + second).toBeCloseTo(1, 9);
    expect(first).toBeGreaterThan(0.8);
    expect(rewards.warnings).toEqual([expect.stringContaining('environment makes 9')]);
  });

  it('of several shapes are mixed', () => {
    const shaped = signal('user', 0.4, { shape: 'continuous' });
    expect(statsOf([rewarded([signal('environment', 1)]), rewarded([shaped])]).rewards.shape).toBe('mixed');
    expect(
      statsOf([rewarded([signal('environment', 1)]), rewarded([signal('user', 0.4)])]).rewards.shape,
    ).toBe('continuous');
  });
});
