import { expect, it } from 'vitest';
import { groupsIn } from '../support/groups.js';
import { surviveKillsIn } from './support/killed-in-phase.js';

it('a worker that is killed before, in and after the closing of a group is followed by one that closes each group once, and nothing is paid for twice', async (context) => {
  // As many rollouts as in the other rows of the matrix: three groups of two of each of four tasks.
  const groups = { groupSize: 2, groups: 12 };
  const chaos = await surviveKillsIn('grouping', { before: 1, effect: 1, recorded: 1 }, context, groups);
  const closed = await groupsIn(chaos.store, chaos.runId);
  expect(new Set(closed.map(({ groupId }) => groupId)).size).toBe(12);
  for (const { valid, members, index } of closed) {
    expect(valid).toBe(true);
    expect(members.map(({ sample, attempt }) => [sample - index * 2, attempt])).toEqual(
      [0, 1].map((n) => [n, 1]),
    );
    expect(members.every(({ advantages, turns }) => advantages?.length === turns)).toBe(true);
  }
});
