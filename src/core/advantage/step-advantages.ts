import type { AdvantageGroup, Estimator } from './group.js';
import { discountedReturns, isScored, scoredOf, stepRewards } from './member-advantages.js';
import { centred, moments, standardised } from './moments.js';

/**
 * Monte-Carlo returns: A_t = G_t = r_t + γ·G_{t+1}; with `stepBaseline` less the mean return of the members that
 * have a step t (0 where only one has). Source: Sutton & Barto, Reinforcement Learning, 2nd ed., eq. 3.8–3.9.
 */
export const mcReturn: Estimator = (groups, { gamma = 1, stepBaseline = false } = {}) =>
  groups.map((group) => {
    const returns = returnsOf(group, gamma);
    if (!stepBaseline) return returns;
    return returns.map(
      (steps) =>
        steps?.map((value, t) => value - moments(returns.flatMap((other) => other?.[t] ?? [])).mean) ?? null,
    );
  });

/**
 * Process supervision: every step reward of the group standardised by their mean and population deviation, then
 * summed from each step to the end, discounted by γ. No spread: 0.
 * Source: DeepSeekMath, arXiv 2402.03300, §4.1.3.
 */
export const processSupervision: Estimator = (groups, { gamma = 1 } = {}) =>
  groups.map((group) => {
    const all = moments(scoredOf(group).flatMap(stepRewards));
    return group.members.map((member) =>
      isScored(member)
        ? discountedReturns(
            stepRewards(member).map((reward) => standardised(reward, all)),
            gamma,
          )
        : null,
    );
  });

/**
 * GiGPO: A = A_E + ω·A_S. A_E compares members by their whole reward; A_S compares the returns of steps that began
 * in the same state (`anchor`), whichever member they belong to. Both divided by the deviation, or by 1 under
 * `normalise: false`. A state seen once, or unknown: A_S = 0. Source: arXiv 2505.10978, eq. 3–8.
 */
export const giGpo: Estimator = (groups, { gamma = 1, stepWeight = 1, normalise = true } = {}) =>
  groups.map((group) => {
    const compare = (value: number, among: readonly number[]): number => {
      const found = moments(among);
      return normalise ? standardised(value, found) : centred(value, found);
    };
    const episodes = scoredOf(group).map(({ reward }) => reward);
    const returns = returnsOf(group, gamma);
    const byAnchor = returnsByAnchor(group, returns);
    return group.members.map((member, i) => {
      if (!isScored(member)) return null;
      const episode = compare(member.reward, episodes);
      return member.steps.map(({ anchor }, t) => {
        const among = anchor === null ? [] : (byAnchor.get(anchor) ?? []);
        const step = among.length < 2 ? 0 : compare(returns[i]?.[t] as number, among);
        return episode + stepWeight * step;
      });
    });
  });

const returnsOf = (group: AdvantageGroup, gamma: number): (number[] | null)[] =>
  group.members.map((member) => (isScored(member) ? discountedReturns(stepRewards(member), gamma) : null));

function returnsByAnchor(
  group: AdvantageGroup,
  returns: readonly (number[] | null)[],
): Map<string, number[]> {
  const found = new Map<string, number[]>();
  group.members.forEach((member, i) => {
    member.steps.forEach(({ anchor }, t) => {
      const value = returns[i]?.[t];
      if (anchor === null || value === undefined) return;
      const same = found.get(anchor);
      if (same) same.push(value);
      else found.set(anchor, [value]);
    });
  });
  return found;
}
