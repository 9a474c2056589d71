/** One step (turn) of a member. */
export interface AdvantageStep {
  /** Tokens that were sampled in it. */
  tokens: number;
  /** Immediate reward; null where only the whole member was scored. */
  reward: number | null;
  /** Names the state that the step began in, so that equal states can be compared; null = unknown. */
  anchor: string | null;
}

/** One rollout of a group as the estimators see it. */
export interface AdvantageMember {
  /** Null: no score (an infrastructure failure). It is in no mean and gets no advantage. */
  reward: number | null;
  steps: readonly AdvantageStep[];
}

/** The rollouts of one item. */
export interface AdvantageGroup {
  groupId: string;
  members: readonly AdvantageMember[];
}

/** The advantage of a step: one number for all its tokens, or one per token. */
export type StepAdvantage = number | readonly number[];

/** The advantages of a group, member by member in order: one per step; null for a member without a score. */
export type GroupAdvantages = readonly (readonly StepAdvantage[] | null)[];

/** What estimators can be told; each reads only what its formula has. */
export interface EstimatorOptions {
  /** Discount per step (`reinforce++`: per token). Default 1. */
  gamma?: number;
  /** `gigpo`: weight of the step-level advantage, ω. Default 1. */
  stepWeight?: number;
  /** `gigpo`: divide by the standard deviation (default), or by 1. */
  normalise?: boolean;
  /** `mc-return`: subtract the mean return of the members at the same step index. Default false. */
  stepBaseline?: boolean;
}

/** A batch of groups → their advantages, in order. Pure. Errors: `bad_input`, naming estimator and group. */
export type Estimator = (groups: readonly AdvantageGroup[], options?: EstimatorOptions) => GroupAdvantages[];
