import type { RewardSignal } from '../trajectory/reward-signal.schema.js';

/** How one part enters a composite reward. */
export interface PartWeight {
  /** Above 0; only its share of the sum of weights matters. */
  weight: number;
  /** Taken where an episode lacks the part; null = such an episode gets no reward. */
  missing: number | null;
  /** Of `length_penalty`: the tokens at which the penalty is whole. */
  limit: number | null;
}
export type PartWeights = Readonly<Record<string, PartWeight>>;

export interface CompositeReward {
  value: number;
  parts: NonNullable<RewardSignal['parts']>;
}

/** What an episode has no value for, so that its reward would not compare with the others'. */
export interface PartsMissing {
  missing: string[];
}

/** Σ value × weight / Σ weight, with what each part came to. `lookUp` answers null where the episode lacks a part. */
export function compositeReward(
  weights: PartWeights,
  lookUp: (name: string, part: PartWeight) => number | null,
): CompositeReward | PartsMissing {
  const values = Object.entries(weights).map(([name, part]) => ({
    name,
    weight: part.weight,
    value: lookUp(name, part) ?? part.missing,
  }));
  const missing = values.filter(({ value }) => value === null).map(({ name }) => name);
  if (missing.length > 0) return { missing };
  const total = values.reduce((sum, { weight }) => sum + weight, 0);
  const parts = Object.fromEntries(
    values.map(({ name, weight, value }) => [
      name,
      { value: value as number, weight, contribution: ((value as number) * weight) / total },
    ]),
  );
  return { value: Object.values(parts).reduce((sum, part) => sum + part.contribution, 0), parts };
}
