import type { Estimator } from './group.js';
import { perMember } from './member-advantages.js';
import { centred, moments, standardised } from './moments.js';

/**
 * GRPO: A = (R − μ) / σ over the scored members, σ the population's.
 * One member, or equal rewards: 0. Source: DeepSeekMath, arXiv 2402.03300, §4.1.2.
 */
export const grpo: Estimator = (groups) =>
  groups.map((group) =>
    perMember(group, ({ reward }, scored) => standardised(reward, moments(rewards(scored)))),
  );

/**
 * Dr. GRPO: A = R − μ, without the division that favours easy and hard items.
 * One member: 0. Source: Understanding R1-Zero-Like Training, arXiv 2503.20783, §3.
 */
export const drGrpo: Estimator = (groups) =>
  groups.map((group) => perMember(group, ({ reward }, scored) => centred(reward, moments(rewards(scored)))));

/**
 * RLOO: A = R − mean of the other members = G/(G−1)·(R − μ).
 * One member has no others: 0. Source: Back to Basics, arXiv 2402.14740, eq. 7.
 */
export const rloo: Estimator = (groups) =>
  groups.map((group) =>
    perMember(group, ({ reward }, scored) => {
      const count = scored.length;
      return count < 2 ? 0 : (count / (count - 1)) * centred(reward, moments(rewards(scored)));
    }),
  );

/**
 * OPO: A = R − Σ(l·R)/Σl, the baseline weighted by the sampled tokens l of each member.
 * One member: 0; where nothing was sampled the weights are equal. Source: arXiv 2505.23585, eq. 8.
 */
export const opo: Estimator = (groups) =>
  groups.map((group) =>
    perMember(group, ({ reward }, scored) => {
      const spread = moments(rewards(scored));
      if (spread.std === 0) return 0;
      const lengths = scored.map(({ steps }) => steps.reduce((sum, step) => sum + step.tokens, 0));
      const total = lengths.reduce((sum, length) => sum + length, 0);
      if (total === 0) return centred(reward, spread);
      const weighted = scored.reduce((sum, member, i) => sum + member.reward * (lengths[i] as number), 0);
      return reward - weighted / total;
    }),
  );

const rewards = (scored: readonly { reward: number }[]): number[] => scored.map(({ reward }) => reward);
