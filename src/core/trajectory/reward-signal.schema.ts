import { z } from 'zod';

/** Where a reward comes from, the most trusted first. */
export const REWARD_SOURCES = ['environment', 'user', 'reward_model', 'implicit'] as const;
export type RewardSource = (typeof REWARD_SOURCES)[number];

/** How far each source can be trusted. */
export const REWARD_QUALITY = {
  environment: 'high',
  user: 'high',
  reward_model: 'medium',
  implicit: 'low',
} as const satisfies Record<RewardSource, string>;

/** What one part of a composite reward came to. */
export const rewardPartSchema = z.object({
  value: z.number(),
  weight: z.number(),
  /** value × weight / sum of weights. */
  contribution: z.number(),
});

/** One judgement of an episode. All are kept; `effectiveReward` says which one counts. */
export const rewardSignalSchema = z.object({
  source: z.enum(REWARD_SOURCES),
  quality: z.enum(['high', 'medium', 'low']),
  value: z.number(),
  shape: z.enum(['binary', 'continuous', 'composite']).nullable().default(null),
  /** Of a composite reward, by name. */
  parts: z.record(z.string(), rewardPartSchema).nullable().default(null),
  /** What the source gave besides its value, by name: keys of a verifier's reward, criteria of a judge, implicit counts. */
  components: z.record(z.string(), z.number()).optional(),
  /** Judge model, user, environment. */
  by: z.string().nullable().default(null),
  /** Epoch milliseconds. */
  at: z.number().nullable().default(null),
  note: z.string().nullable().default(null),
});
export type RewardSignal = z.infer<typeof rewardSignalSchema>;
