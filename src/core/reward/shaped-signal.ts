import type { Episode } from '../trajectory/episode.schema.js';
import type { RewardSignal } from '../trajectory/reward-signal.schema.js';
import { compositeReward, type PartsMissing, type PartWeights } from './composite.js';
import { partValue, type Scored } from './part-values.js';

/** What becomes of a score: 1 or 0 by a threshold, the score itself, or one part of several. */
export type RewardShape =
  | { kind: 'binary'; threshold: number }
  | { kind: 'continuous' }
  | { kind: 'composite'; weights: PartWeights };

/** A score with who gave it, when (epoch milliseconds) and why. */
export interface Judgement extends Scored {
  by: string;
  at: number;
  rationale: string | null;
}

/** The signal that a shape makes of a reward model's score. */
export function judgedSignal(
  judgement: Judgement,
  shape: Exclude<RewardShape, { kind: 'composite' }>,
): RewardSignal {
  const { score, components, by, at, rationale } = judgement;
  const binary = shape.kind === 'binary';
  return {
    source: 'reward_model',
    quality: 'medium',
    value: binary ? Number(score >= shape.threshold) : score,
    shape: shape.kind,
    parts: null,
    components: binary ? { ...components, score, threshold: shape.threshold } : { ...components },
    by,
    at,
    note: rationale,
  };
}

/**
 * The composite signal of an episode, or the parts that it lacks. Made of implicit parts alone it is an
 * implicit signal of low quality; else it counts as a reward model's. `at` in epoch milliseconds.
 */
export function compositeSignal(
  episode: Episode,
  weights: PartWeights,
  judgement: Judgement | null,
  at: number,
): RewardSignal | PartsMissing {
  const found = compositeReward(weights, (name, part) => partValue(episode, name, part, judgement));
  if ('missing' in found) return found;
  const implicit = Object.keys(weights).every((name) => /^implicit(\.|$)/.test(name));
  return {
    source: implicit ? 'implicit' : 'reward_model',
    quality: implicit ? 'low' : 'medium',
    value: found.value,
    shape: 'composite',
    parts: found.parts,
    by: judgement === null ? 'composite' : `composite with ${judgement.by}`,
    at,
    note: judgement?.rationale ?? null,
  };
}
