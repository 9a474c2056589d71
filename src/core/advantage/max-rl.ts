import { badInput } from '../errors.js';
import type { AdvantageGroup, Estimator } from './group.js';
import { perMember, scoredOf } from './member-advantages.js';
import { centred, moments } from './moments.js';

/**
 * MaxRL: A = (R − μ) / μ, so that rare successes weigh more; [1, 0, 0, 0] gives [3, −1, −1, −1].
 * All rewards 0: 0. Negative rewards turn its sign around and are refused. Source: arXiv 2602.02710.
 */
export const maxRl: Estimator = (groups) =>
  groups.map((group) => {
    refuseNegative(group);
    return perMember(group, ({ reward }, scored) => {
      const spread = moments(scored.map((member) => member.reward));
      return spread.mean <= 0 ? 0 : centred(reward, spread) / spread.mean;
    });
  });

function refuseNegative(group: AdvantageGroup): void {
  const negative = scoredOf(group).find(({ reward }) => reward < 0);
  if (!negative) return;
  throw badInput(
    `maxrl: group ${group.groupId} has the reward ${negative.reward}; accepted are rewards of at least 0.`,
    'Shift the rewards, or choose another estimator: grpo and rloo take any.',
  );
}
