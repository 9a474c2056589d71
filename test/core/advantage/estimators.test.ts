import { describe, expect, test } from 'vitest';
import {
  type AdvantageGroup,
  type AdvantageStep,
  ESTIMATORS,
  type EstimatorName,
  type EstimatorOptions,
  shapeByLength,
} from '../../../src/core/advantage/index.js';

const step = (tokens = 1, reward: number | null = null, anchor: string | null = null): AdvantageStep => ({
  tokens,
  reward,
  anchor,
});

/** Members of one step of one token each, unless steps are given. */
const group = (rewards: (number | null)[], steps?: AdvantageStep[][], groupId = 'g'): AdvantageGroup => ({
  groupId,
  members: rewards.map((reward, i) => ({ reward, steps: steps?.[i] ?? [step()] })),
});

interface Row {
  estimator: EstimatorName;
  what: string;
  groups: AdvantageGroup[];
  options?: EstimatorOptions;
  expected: unknown;
}

const lengths = [[step(1)], [step(3)]];
const twoSteps = [
  [step(1, 0, 'a'), step(1, 1, 'b')],
  [step(1, 0, 'a'), step(1, 0, 'c')],
];

/** Computed by hand. */
const TABLE: Row[] = [
  {
    estimator: 'grpo',
    what: 'two of four',
    groups: [group([1, 1, 0, 0])],
    expected: [[[1], [1], [-1], [-1]]],
  },
  { estimator: 'grpo', what: 'one member', groups: [group([0.7])], expected: [[[0]]] },
  {
    estimator: 'grpo',
    what: 'no spread, also where sums round',
    groups: [group([0.1, 0.1, 0.1])],
    expected: [[[0], [0], [0]]],
  },
  { estimator: 'grpo', what: 'all failed', groups: [group([null, null])], expected: [[null, null]] },
  {
    estimator: 'grpo',
    what: 'a failed member is in no mean',
    groups: [group([1, null, 0])],
    expected: [[[1], null, [-1]]],
  },
  { estimator: 'grpo', what: 'negative rewards', groups: [group([-1, -3])], expected: [[[1], [-1]]] },
  {
    estimator: 'dr-grpo',
    what: 'is not divided',
    groups: [group([1, 0, 0, 0])],
    expected: [[[0.75], [-0.25], [-0.25], [-0.25]]],
  },
  { estimator: 'dr-grpo', what: 'one member', groups: [group([1])], expected: [[[0]]] },
  {
    estimator: 'rloo',
    what: 'against the others',
    groups: [group([1, 0, 0, 0])],
    expected: [[[1], [-1 / 3], [-1 / 3], [-1 / 3]]],
  },
  { estimator: 'rloo', what: 'one member', groups: [group([1])], expected: [[[0]]] },
  { estimator: 'rloo', what: 'one scored of two', groups: [group([1, null])], expected: [[[0], null]] },
  { estimator: 'rloo', what: 'negative rewards', groups: [group([-1, -2])], expected: [[[1], [-1]]] },
  {
    estimator: 'opo',
    what: 'long members weigh more',
    groups: [group([1, 0], lengths)],
    expected: [[[0.75], [-0.25]]],
  },
  {
    estimator: 'opo',
    what: 'nothing sampled',
    groups: [group([1, 0], [[step(0)], [step(0)]])],
    expected: [[[0.5], [-0.5]]],
  },
  { estimator: 'opo', what: 'one member', groups: [group([1])], expected: [[[0]]] },
  { estimator: 'opo', what: 'no spread', groups: [group([0.3, 0.3], lengths)], expected: [[[0], [0]]] },
  {
    estimator: 'maxrl',
    what: 'a rare success',
    groups: [group([1, 0, 0, 0])],
    expected: [[[3], [-1], [-1], [-1]]],
  },
  { estimator: 'maxrl', what: 'no success', groups: [group([0, 0])], expected: [[[0], [0]]] },
  { estimator: 'maxrl', what: 'one member', groups: [group([1])], expected: [[[0]]] },
  { estimator: 'maxrl', what: 'all failed', groups: [group([null])], expected: [[null]] },
  {
    estimator: 'passk',
    what: 'the best owes nothing to the others',
    groups: [group([1, 0.25, 0])],
    expected: [[[0.75], [0], [0]]],
  },
  { estimator: 'passk', what: 'two best', groups: [group([1, 1, 0])], expected: [[[0], [0], [0]]] },
  { estimator: 'passk', what: 'one member', groups: [group([1])], expected: [[[0]]] },
  { estimator: 'passk', what: 'negative rewards', groups: [group([-1, -3])], expected: [[[2], [0]]] },
  {
    estimator: 'reinforce++',
    what: 'whitens over the batch',
    groups: [group([1, 0]), group([1, 0])],
    expected: [
      [[1], [-1]],
      [[1], [-1]],
    ],
  },
  {
    estimator: 'reinforce++',
    what: 'every token counts',
    groups: [group([1, 0], lengths), group([1], [[step(2)]])],
    expected: [[[1], [-1]], [[1]]],
  },
  {
    estimator: 'reinforce++',
    what: 'discounts by token',
    groups: [group([1], [[step(2)]]), group([0.5, 1])],
    options: { gamma: 0.5 },
    expected: [[[[-1, 1]]], [[-1], [1]]],
  },
  { estimator: 'reinforce++', what: 'no spread', groups: [group([1]), group([1])], expected: [[[0]], [[0]]] },
  {
    estimator: 'reinforce++',
    what: 'all failed',
    groups: [group([null]), group([null])],
    expected: [[null], [null]],
  },
  {
    estimator: 'reinforce++-baseline',
    what: 'first the group, then the batch',
    groups: [group([1, 0]), group([3, 1])],
    expected: [
      [[0.5 / Math.sqrt(0.625)], [-0.5 / Math.sqrt(0.625)]],
      [[1 / Math.sqrt(0.625)], [-1 / Math.sqrt(0.625)]],
    ],
  },
  {
    estimator: 'reinforce++-baseline',
    what: 'one member each',
    groups: [group([1]), group([0])],
    expected: [[[0]], [[0]]],
  },
  {
    estimator: 'mc-return',
    what: 'the reward of the whole stands at the end',
    groups: [group([1], [[step(), step()]])],
    options: { gamma: 0.5 },
    expected: [[[0.5, 1]]],
  },
  {
    estimator: 'mc-return',
    what: 'rewards of steps',
    groups: [group([1, 0], twoSteps)],
    options: { gamma: 0.5 },
    expected: [
      [
        [0.5, 1],
        [0, 0],
      ],
    ],
  },
  {
    estimator: 'mc-return',
    what: 'less those at the same step',
    groups: [group([1, 0], twoSteps)],
    options: { stepBaseline: true },
    expected: [
      [
        [0.5, 0.5],
        [-0.5, -0.5],
      ],
    ],
  },
  { estimator: 'mc-return', what: 'all failed', groups: [group([null])], expected: [[null]] },
  {
    estimator: 'process-supervision',
    what: 'standardised, then summed to the end',
    groups: [
      group(
        [1, 1],
        [
          [step(1, 1), step(1, -1)],
          [step(1, -1), step(1, 1)],
        ],
      ),
    ],
    expected: [
      [
        [0, -1],
        [0, 1],
      ],
    ],
  },
  {
    estimator: 'process-supervision',
    what: 'no spread',
    groups: [group([2, 2], [[step(1, 1)], [step(1, 1)]])],
    expected: [[[0], [0]]],
  },
  {
    estimator: 'gigpo',
    what: 'equal states are compared',
    groups: [group([1, 0], twoSteps)],
    expected: [
      [
        [2, 1],
        [-2, -1],
      ],
    ],
  },
  {
    estimator: 'gigpo',
    what: 'without division',
    groups: [group([1, 0], twoSteps)],
    options: { normalise: false, stepWeight: 2 },
    expected: [
      [
        [1.5, 0.5],
        [-1.5, -0.5],
      ],
    ],
  },
  {
    estimator: 'gigpo',
    what: 'unknown states',
    groups: [group([1, 0], [[step()], [step()]])],
    expected: [[[1], [-1]]],
  },
  { estimator: 'gigpo', what: 'one member', groups: [group([1])], expected: [[[0]]] },
  { estimator: 'gigpo', what: 'all failed', groups: [group([null])], expected: [[null]] },
];

const close = (found: unknown, expected: unknown): void => {
  if (Array.isArray(expected)) {
    expect(found).toHaveLength(expected.length);
    expected.forEach((inner, i) => {
      close((found as unknown[])[i], inner);
    });
  } else if (typeof expected === 'number') expect(found).toBeCloseTo(expected, 12);
  else expect(found).toBe(expected);
};

test.each(TABLE)('$estimator: $what', ({ estimator, groups, options, expected }) => {
  close(ESTIMATORS[estimator](groups, options), expected);
});

describe('what a formula cannot take is refused by name', () => {
  test.each(['reinforce++', 'reinforce++-baseline'] as const)('%s a single group', (name) => {
    expect(() => ESTIMATORS[name]([group([1, 0], undefined, 'run/task')])).toThrow(
      `${name} normalises over a batch of groups and was given only the group run/task`,
    );
  });

  test('maxrl negative rewards', () => {
    expect(() => ESTIMATORS.maxrl([group([1, -0.5], undefined, 'run/task')])).toThrow(
      'group run/task has the reward -0.5',
    );
  });
});

describe('length shaping', () => {
  test('takes a share of the mean off the longest', () => {
    const shaped = shapeByLength(group([1, 1], [[step(10)], [step(5)]]), { outputTokens: 0.5 });
    expect(shaped.members.map(({ reward }) => reward)).toEqual([0.5, 0.75]);
  });

  test('leaves failures without a score, and groups without success as they are', () => {
    expect(
      shapeByLength(group([null, 1], [[step(9)], [step(3)]]), { turns: 0.1 }).members[0]?.reward,
    ).toBeNull();
    const none = group([0, 0]);
    expect(shapeByLength(none, { outputTokens: 1 })).toBe(none);
  });
});
