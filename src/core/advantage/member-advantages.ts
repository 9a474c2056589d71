import type { AdvantageGroup, AdvantageMember, GroupAdvantages } from './group.js';

/** A member that has a score. */
export type ScoredMember = AdvantageMember & { reward: number };

export const isScored = (member: AdvantageMember): member is ScoredMember => member.reward !== null;

export const scoredOf = (group: AdvantageGroup): ScoredMember[] => group.members.filter(isScored);

/** Gives all steps of each scored member the same advantage. */
export function perMember(
  group: AdvantageGroup,
  advantage: (member: ScoredMember, scored: readonly ScoredMember[]) => number,
): GroupAdvantages {
  const scored = scoredOf(group);
  return group.members.map((member) => {
    if (!isScored(member)) return null;
    const value = advantage(member, scored);
    return member.steps.map(() => value);
  });
}

/** The rewards of a member's steps; where none was given, its whole reward stands at the last step. */
export function stepRewards(member: ScoredMember): number[] {
  if (member.steps.some((step) => step.reward !== null)) return member.steps.map((step) => step.reward ?? 0);
  return member.steps.map((_, i) => (i === member.steps.length - 1 ? member.reward : 0));
}

/** G_t = r_t + γ·G_{t+1}, for every step. */
export function discountedReturns(rewards: readonly number[], gamma: number): number[] {
  const returns = [...rewards];
  for (let t = returns.length - 2; t >= 0; t--)
    returns[t] = (returns[t] as number) + gamma * (returns[t + 1] as number);
  return returns;
}
