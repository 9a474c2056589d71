import type { StopReason } from '../../core/rollout/outcome.js';
import type { RewardSource } from '../../core/trajectory/reward-signal.schema.js';

export const FILTER_GOALS = ['training', 'failure-recovery'] as const;

/** What `traj filter` is asked for. Bounds are inclusive; null = none. */
export interface FilterOptions {
  /** `failure-recovery` keeps episodes that were cut short, and wrong calls that were refused. */
  goal: (typeof FILTER_GOALS)[number];
  /** Keeps episodes with wrong calls that were answered with an error: the model saw it and went on. */
  allowRefusedCalls: boolean;
  minReward: number | null;
  maxReward: number | null;
  minTurns: number;
  maxTurns: number | null;
  /** Of the whole conversation and its tools. */
  maxTokens: number | null;
  requireToolCalls: boolean;
  requireReasoning: boolean;
  /** Empty = any. */
  stopReasons: readonly StopReason[];
  /** Of conversations that read the same, only the first stays. */
  dedupe: boolean;
  /** So many of what is left, drawn with this seed. */
  sample: { count: number; seed: number } | null;
  /** Which reward counts. */
  rewardOrder: readonly RewardSource[] | undefined;
}

/** An episode without a single turn teaches nothing. */
export const DEFAULT_FILTER: FilterOptions = {
  goal: 'training',
  allowRefusedCalls: false,
  minReward: null,
  maxReward: null,
  minTurns: 1,
  maxTurns: null,
  maxTokens: null,
  requireToolCalls: false,
  requireReasoning: false,
  stopReasons: [],
  dedupe: false,
  sample: null,
  rewardOrder: undefined,
};
