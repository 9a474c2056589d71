import { badInput } from '../errors.js';
import type { AdvantageGroup, Estimator, GroupAdvantages, StepAdvantage } from './group.js';
import {
  discountedReturns,
  isScored,
  type ScoredMember,
  scoredOf,
  stepRewards,
} from './member-advantages.js';
import { moments, standardised } from './moments.js';

/**
 * REINFORCE++: the discounted return of every token (a step's reward stands at its last token), then whitened
 * over all tokens of the batch. No spread: 0. γ = 1 gives all tokens of a step the same.
 * Refuses a single group. Source: arXiv 2501.03262, eq. 7–8.
 */
export const reinforcePlusPlus: Estimator = (groups, { gamma = 1 } = {}) =>
  whiten('reinforce++', groups, (member) => tokenReturns(member, gamma));

/**
 * REINFORCE++-baseline: R − μ of the group for every token, then whitened over all tokens of the batch.
 * Refuses a single group. Source: arXiv 2501.03262, §3.3.
 */
export const reinforcePlusPlusBaseline: Estimator = (groups) =>
  whiten('reinforce++-baseline', groups, (member, group) => {
    const { mean } = moments(scoredOf(group).map(({ reward }) => reward));
    return member.steps.map((step) => new Array<number>(step.tokens).fill(member.reward - mean));
  });

type TokenValues = (member: ScoredMember, group: AdvantageGroup) => number[][];

function whiten(name: string, groups: readonly AdvantageGroup[], valuesOf: TokenValues): GroupAdvantages[] {
  refuseSingle(name, groups);
  const raw = groups.map((group) =>
    group.members.map((member) => (isScored(member) ? valuesOf(member, group) : null)),
  );
  const batch = moments(raw.flat(1).flatMap((steps) => steps?.flat() ?? []));
  return raw.map((members) =>
    members.map((steps) => steps?.map((tokens) => whitened(tokens, batch)) ?? null),
  );
}

/** One number where all tokens of the step have the same; a step without tokens has 0. */
function whitened(tokens: readonly number[], batch: { mean: number; std: number }): StepAdvantage {
  const values = tokens.map((value) => standardised(value, batch));
  const [first] = values;
  if (first === undefined) return 0;
  return values.every((value) => value === first) ? first : values;
}

function tokenReturns(member: ScoredMember, gamma: number): number[][] {
  const rewards = stepRewards(member);
  const flat = member.steps.flatMap((step, i) =>
    Array.from({ length: step.tokens }, (_, at) => (at === step.tokens - 1 ? (rewards[i] as number) : 0)),
  );
  const returns = discountedReturns(flat, gamma);
  let at = 0;
  return member.steps.map((step) => {
    at += step.tokens;
    return returns.slice(at - step.tokens, at);
  });
}

function refuseSingle(name: string, groups: readonly AdvantageGroup[]): void {
  if (groups.length > 1) return;
  const found = groups[0] ? `only the group ${groups[0].groupId}` : 'no group';
  throw badInput(
    `${name} normalises over a batch of groups and was given ${found}; accepted are two or more.`,
    'Give several groups at once, or choose an estimator that needs no batch: grpo, rloo, dr-grpo.',
  );
}
