import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AdvantageGroup, ESTIMATORS, type EstimatorName } from '../../../src/core/advantage/index.js';

const SEED = 20_261_121;
const NAMES = Object.keys(ESTIMATORS) as EstimatorName[];

const reward = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 100, noNaN: true }));
const anySteps = fc.array(
  fc.record({
    tokens: fc.integer({ min: 0, max: 5 }),
    reward: fc.option(fc.double({ min: -10, max: 10, noNaN: true })),
    anchor: fc.option(fc.constantFrom('a', 'b', 'c')),
  }),
  { minLength: 1, maxLength: 4 },
);
const member = fc.record({ reward: fc.option(reward), steps: anySteps });
const plain = fc.record({
  reward: fc.option(reward),
  steps: anySteps.map((steps) => steps.map((step) => ({ ...step, reward: null }))),
});
const groupsOf = (members: fc.Arbitrary<AdvantageGroup['members'][number]>): fc.Arbitrary<AdvantageGroup[]> =>
  fc.array(fc.record({ groupId: fc.string(), members: fc.array(members, { minLength: 1, maxLength: 6 }) }), {
    minLength: 2,
    maxLength: 4,
  });

const check = (property: fc.IProperty<never> | fc.IProperty<[AdvantageGroup[]]>): void =>
  fc.assert(property as fc.IProperty<[AdvantageGroup[]]>, { seed: SEED, numRuns: 200 });

test.each(NAMES)('%s: finite, in shape, and null just where there is no score', (name) => {
  check(
    fc.property(groupsOf(member), (groups) => {
      const found = ESTIMATORS[name](groups, { gamma: 0.9 });
      expect(found).toHaveLength(groups.length);
      groups.forEach(({ members }, g) => {
        members.forEach(({ reward, steps }, m) => {
          const advantages = found[g]?.[m];
          if (reward === null) {
            expect(advantages).toBeNull();
            return;
          }
          expect(advantages).toHaveLength(steps.length);
          expect((advantages ?? []).flat().every(Number.isFinite)).toBe(true);
        });
      });
    }),
  );
});

/** The first value of each scored member. */
const perMember = (name: EstimatorName, groups: AdvantageGroup[]): number[][] =>
  ESTIMATORS[name](groups).map((group) => group.flatMap((steps) => (steps ? [steps[0] as number] : [])));

test.each(['grpo', 'dr-grpo', 'rloo', 'gigpo'] as const)(
  '%s: the advantages of a group sum to zero',
  (name) => {
    check(
      fc.property(
        groupsOf(
          plain.map(({ reward, steps }) => ({ reward, steps: steps.map((s) => ({ ...s, anchor: null })) })),
        ),
        (groups) => {
          for (const group of perMember(name, groups))
            expect(Math.abs(group.reduce((sum, value) => sum + value, 0))).toBeLessThan(1e-6);
        },
      ),
    );
  },
);

test.each(['grpo', 'dr-grpo', 'rloo', 'opo', 'passk', 'reinforce++-baseline'] as const)(
  '%s: shifting all rewards changes nothing',
  (name) => {
    check(
      fc.property(groupsOf(plain), (groups) => {
        const shifted = groups.map((group) => ({
          ...group,
          members: group.members.map((m) => ({ ...m, reward: m.reward === null ? null : m.reward + 3 })),
        }));
        const [before, after] = [perMember(name, groups).flat(), perMember(name, shifted).flat()];
        // A spread that is all rounding may vanish under the shift: it counts as none on either side.
        const tiny = groups.some(({ members }) => {
          const rewards = members.flatMap((m) => m.reward ?? []);
          const spread = Math.max(...rewards) - Math.min(...rewards);
          return spread > 0 && spread < 1e-4;
        });
        if (!tiny) before.forEach((value, i) => void expect(after[i]).toBeCloseTo(value, 5));
      }),
    );
  },
);

test('reinforce++: whitened over all tokens', () => {
  check(
    fc.property(groupsOf(plain), (groups) => {
      const tokens: number[] = ESTIMATORS['reinforce++'](groups).flatMap((group, g) =>
        group.flatMap((steps, m) =>
          (steps ?? []).flatMap((value, s) =>
            typeof value === 'number'
              ? new Array<number>(groups[g]?.members[m]?.steps[s]?.tokens ?? 0).fill(value)
              : [...value],
          ),
        ),
      );
      const mean = tokens.reduce((sum, value) => sum + value, 0) / Math.max(1, tokens.length);
      expect(Math.abs(mean)).toBeLessThan(1e-6);
      if (tokens.some((value) => value !== 0))
        expect(tokens.reduce((sum, value) => sum + value * value, 0) / tokens.length).toBeCloseTo(1, 6);
    }),
  );
});
