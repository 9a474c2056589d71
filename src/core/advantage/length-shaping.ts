import type { AdvantageGroup, AdvantageMember } from './group.js';
import { isScored, scoredOf } from './member-advantages.js';
import { moments } from './moments.js';

/** How much of the group's mean reward the longest member loses, by what is counted. */
export interface LengthShaping {
  outputTokens?: number;
  turns?: number;
}

/**
 * Takes length off the rewards before an estimator sees them: R' = R − μ·Σ w·q/max(q) over the scored members of
 * a group, q their sampled tokens or turns. Step rewards stay; a group whose mean is not positive is left as it is.
 * Source: prime-rl, documentation of its advantage functions.
 */
export function shapeByLength(group: AdvantageGroup, weights: LengthShaping): AdvantageGroup {
  const scored = scoredOf(group);
  const { mean } = moments(scored.map(({ reward }) => reward));
  if (mean <= 0) return group;
  const most = { outputTokens: largest(scored, tokensOf), turns: largest(scored, turnsOf) };
  const members = group.members.map((member) => {
    if (!isScored(member)) return member;
    const share =
      part(weights.outputTokens, tokensOf(member), most.outputTokens) +
      part(weights.turns, turnsOf(member), most.turns);
    return { ...member, reward: member.reward - mean * share };
  });
  return { ...group, members };
}

const tokensOf = ({ steps }: AdvantageMember): number => steps.reduce((sum, step) => sum + step.tokens, 0);
const turnsOf = ({ steps }: AdvantageMember): number => steps.length;
const largest = (members: readonly AdvantageMember[], count: (member: AdvantageMember) => number): number =>
  members.reduce((most, member) => Math.max(most, count(member)), 0);
const part = (weight = 0, value: number, most: number): number => (most === 0 ? 0 : (weight * value) / most);
