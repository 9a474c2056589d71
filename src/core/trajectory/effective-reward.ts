import type { RewardSignal, RewardSource } from './reward-signal.schema.js';

/** The usual order of trust; `REWARD_SOURCES` of the schema, which may not be imported for its value here. */
const ORDER: readonly RewardSource[] = ['environment', 'user', 'reward_model', 'implicit'];

/** The signal that counts: of the first source in `order` that has any, the newest. Null when there is none. */
export function effectiveSignal(
  signals: readonly RewardSignal[],
  order: readonly RewardSource[] = ORDER,
): RewardSignal | null {
  for (const source of order) {
    const newest = signals
      .filter((signal) => signal.source === source)
      .reduce<RewardSignal | null>((best, next) => ((next.at ?? 0) >= (best?.at ?? 0) ? next : best), null);
    if (newest) return newest;
  }
  return null;
}

/** The reward that counts, or null. */
export function effectiveReward(
  signals: readonly RewardSignal[],
  order?: readonly RewardSource[],
): number | null {
  return effectiveSignal(signals, order)?.value ?? null;
}
