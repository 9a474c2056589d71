import type { StepAdvantage } from '../core/advantage/index.js';
import { discountedReturns } from '../core/advantage/member-advantages.js';
import { mean } from '../core/statistics/mean.js';
import type { TimeStep } from '../core/trajectory/trajectory.schema.js';

/**
 * The timesteps of a scored rollout with what its group says of them: `advantage` of each (the mean over its
 * tokens where each has its own; null where `advantages` has none) and `mcReturn`, the rewards from there to the
 * end, discounted by `gamma`. A rollout without a score has neither.
 */
export function withAdvantages(
  timesteps: readonly TimeStep[],
  advantages: readonly StepAdvantage[] | null,
  gamma: number,
): TimeStep[] {
  if (timesteps.at(-1)?.reward == null) return [...timesteps];
  const returns = discountedReturns(
    timesteps.map(({ reward }) => reward ?? 0),
    gamma,
  );
  return timesteps.map((step, i) => ({
    ...step,
    advantage: one(advantages?.[i]),
    mcReturn: returns[i] ?? null,
  }));
}

function one(advantage: StepAdvantage | undefined): number | null {
  if (advantage === undefined) return null;
  return typeof advantage === 'number' ? advantage : mean(advantage);
}
