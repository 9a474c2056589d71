import { describe, expect, it } from 'vitest';
import { checkItem } from '../../../src/formats/atropos-group/check-item.js';
import { type ScoredItemsOptions, scoredItems } from '../../../src/formats/atropos-group/scored-items.js';
import { RESPELLED, TWO_TURNS } from '../tokens/sampled-episode.js';
import { type PlannedMember, scoredGroup } from './scored-group.js';

function itemsOf(members: readonly PlannedMember[], options: Partial<ScoredItemsOptions> = {}) {
  const { record, episodes } = scoredGroup(members);
  return scoredItems(record, episodes, { maxTokenLength: null, keepZeroVariance: false, ...options });
}

describe('a group of rollouts in one conversation each', () => {
  const { items, skipped, leftOut } = itemsOf([{ reward: 1 }, { reward: 0 }], { lagOf: (sample) => sample });
  it('is one item, with labels and log-probabilities where something was sampled', () => {
    expect([items.length, skipped, leftOut]).toEqual([1, null, []]);
    expect(items[0]).toMatchObject({
      scores: [1, 0],
      generation_params: null,
      messages: null,
      images: null,
      ref_logprobs: null,
    });
    expect(items[0]?.masks[1]).toEqual([-100, -100, -100, 20, 21, -100, 22]);
    expect(items[0]?.inference_logprobs[1]).toEqual([1, 1, 1, -0.3, -0.1, 1, -0.02]);
    expect(items[0]?.advantages?.[1]).toEqual([0, 0, 0, -0.5, -0.5, 0, -0.5]);
  });

  it('names itself and its rollouts where servers keep what they do not know', () => {
    expect(items[0]?.group_overrides).toEqual({
      group_id: 'run/list-files/0',
      group_size: 2,
      run_id: 'run',
      task_id: 'list-files',
      index: 0,
      item: 0,
      items: 1,
      environment: 'tblite',
      model: 'scripted/demo',
      estimator: 'grpo',
      policy_versions: [null],
      scored: 2,
      mean: 0.5,
      std: 0.5,
    });
    expect(items[0]?.overrides[1]).toEqual({
      rollout_id: 'run/list-files/1',
      sample: 1,
      attempt: 1,
      sequence: 0,
      sequences: 1,
      policy_versions: [null],
      lag: 1,
      reward: 0,
    });
  });
});

it('rewritten prompts make further items, filled up so that each has the whole baseline', () => {
  const { items } = itemsOf([{ reward: 1, turns: RESPELLED }, { reward: 0 }, { reward: 0.5 }]);
  expect(items.map(({ tokens }) => tokens)).toEqual([
    [
      [10, 11, 20, 21],
      [10, 11, 12, 20, 21, 13, 22],
      [10, 11, 12, 20, 21, 13, 22],
    ],
    [
      [10, 11, 29, 12, 22],
      [10, 11, 12],
      [10, 11, 12],
    ],
  ]);
  expect(items.map(({ scores }) => scores)).toEqual([
    [1, 0, 0.5],
    [1, 0, 0.5],
  ]);
  expect(items[1]?.overrides[1]).toMatchObject({ set_advantage_to_zero: true, sequence: null });
  expect(items[1]?.masks[1]).toEqual([-100, -100, -100]);
  expect(items[1]?.inference_logprobs[1]).toEqual([1, 1, 1]);
  expect(items.map(({ group_overrides: { item, items: of } }) => [item, of])).toEqual([
    [0, 2],
    [1, 2],
  ]);
});

describe('a member that is not trained keeps its place', () => {
  it('with its reward, when its policy is too old', () => {
    const { items, leftOut } = itemsOf([{ reward: 1, stale: true }, { reward: 0 }]);
    expect(items[0]?.tokens[0]).toEqual([10, 11, 12]);
    expect(items[0]?.scores).toEqual([1, 0]);
    expect(items[0]?.overrides[0]).toMatchObject({ set_advantage_to_zero: true, filler: 'stale' });
    expect(leftOut).toMatchObject([{ sample: 0, sequence: null, code: 'stale' }]);
  });

  it('with the mean of the others, when it has no reward', () => {
    const { items, leftOut } = itemsOf([{ reward: 1 }, { reward: null }, { reward: 0.5 }]);
    expect(items[0]?.scores).toEqual([1, 0.75, 0.5]);
    expect(items[0]?.overrides[1]).toMatchObject({ set_advantage_to_zero: true, reward: null });
    expect(items[0]?.group_overrides).toMatchObject({ scored: 2, mean: 0.75, std: 0.25 });
    expect(leftOut).toMatchObject([{ sample: 1, code: 'no_reward', reason: 'it has no reward: llm_error' }]);
  });

  it('with the prompt of another, when no ids of its own were recorded', () => {
    const { items, leftOut } = itemsOf([
      { reward: 1, turns: [{ prompt: null, sampled: null }] },
      { reward: 0 },
    ]);
    expect(items[0]?.tokens[0]).toEqual([10, 11, 12]);
    expect(leftOut).toMatchObject([{ sample: 0, code: 'no_sampled_ids' }]);
  });

  it.each([
    ['are not finite', [-0.1, Number.NEGATIVE_INFINITY]],
    ['are missing', null],
  ])('when its log-probabilities %s', (_, logprobs) => {
    const { items, leftOut } = itemsOf([
      { reward: 1, turns: [{ prompt: [10], sampled: [20, 21], logprobs }] },
      { reward: 0 },
    ]);
    expect(items[0]?.tokens[0]).toEqual([10]);
    expect(leftOut).toHaveLength(1);
    expect(checkItem(items[0] as never)).toBeNull();
  });

  it('for the sequence that is too long alone, and its prompt is cut', () => {
    const long = { prompt: [10, 11, 12, 13, 14], sampled: [20], logprobs: [-1] };
    const members = [
      { reward: 1, turns: [long, ...TWO_TURNS.slice(0, 1)] },
      { reward: 0, turns: [long] },
    ];
    const { items, leftOut } = itemsOf(members, { maxTokenLength: 6 });
    expect(items).toHaveLength(1);
    expect(items[0]?.tokens).toEqual([
      [10, 11, 12, 20, 21],
      [10, 11, 12, 13, 14],
    ]);
    expect(items[0]?.overrides[0]).toMatchObject({ sequence: 1, sequences: 2 });
    expect(leftOut).toMatchObject([
      { sample: 0, sequence: 0, code: 'too_long' },
      { sample: 1, sequence: 0, code: 'too_long' },
    ]);
  });
});

describe('nothing is sent of a group', () => {
  it.each([
    ['whose rewards are all the same', [{ reward: 1 }, { reward: 1 }, { reward: null }], 'zero_variance'],
    ['that is not valid', [{ reward: null }, { reward: null }], 'invalid'],
    [
      'of which nothing can be trained',
      [
        { reward: 1, stale: true },
        { reward: 0, stale: true },
      ],
      'nothing_to_train',
    ],
  ])('%s, and the reason is told', (_, members, code) => {
    const { items, skipped } = itemsOf(members);
    expect(items).toEqual([]);
    expect(skipped?.code).toBe(code);
    expect(skipped?.reason).not.toBe('');
  });

  it('of equal rewards is sent when that is asked for', () => {
    const { items } = itemsOf([{ reward: 1 }, { reward: 1 }], { keepZeroVariance: true });
    expect(items[0]?.scores).toEqual([1, 1]);
  });
});
