import { z } from 'zod';

const momentsSchema = z.object({
  count: z.number().int(),
  mean: z.number().nullable(),
  sd: z.number().nullable(),
  min: z.number().nullable(),
  max: z.number().nullable(),
});
export type Moments = z.infer<typeof momentsSchema>;

const partStatsSchema = z.object({
  name: z.string(),
  /** One number where all rows agree. */
  weight: z.object({ min: z.number(), max: z.number() }),
  value: momentsSchema,
  meanContribution: z.number(),
  /** Covariance of the contribution with the reward over the reward's variance: sums to 1. Null without variance. */
  varianceShare: z.number().nullable(),
});

const correlationSchema = z.object({
  /** A source of reward, or one of its components: `reward_model`, `environment.coverage`. */
  signal: z.string(),
  rows: z.number().int(),
  /** Pearson's r with the environment's reward, and with whether it passed. */
  withReward: z.number().nullable(),
  withPass: z.number().nullable(),
});
export type Correlation = z.infer<typeof correlationSchema>;

export const rewardStatsSchema = z.object({
  order: z.array(z.string()),
  passThreshold: z.number(),
  effective: momentsSchema,
  missing: z.number().int(),
  /** Of the rewards that count. Null without any. */
  shape: z.enum(['binary', 'continuous', 'composite', 'mixed']).nullable(),
  histogram: z.array(z.object({ from: z.number(), to: z.number(), count: z.number().int() })),
  /** The newest signal of each source. */
  sources: z.array(z.object({ source: z.string(), quality: z.string(), ...momentsSchema.shape })),
  groups: z.object({
    /** With two rewards or more: only those have a baseline. */
    compared: z.number().int(),
    zeroVariance: z.number().int(),
    share: z.number().nullable(),
    /** With fewer rewards. */
    alone: z.number().int(),
  }),
  correlations: z.array(correlationSchema),
  composite: z.object({ rows: z.number().int(), parts: z.array(partStatsSchema) }).nullable(),
  warnings: z.array(z.string()),
});
export type RewardStats = z.infer<typeof rewardStatsSchema>;

/** `traj stats --json`. */
export const statsReportSchema = z.object({
  rows: z.number().int(),
  completed: z.number().int(),
  compressed: z.number().int(),
  stopReasons: z.record(z.string(), z.number().int()),
  sources: z.record(z.string(), z.number().int()),
  turns: momentsSchema,
  tokens: z.object({
    /** Of the model's answers, per row. */
    answers: momentsSchema,
    answersTotal: z.number(),
    /** Rows whose endpoint counted them; of the others four characters are a token. */
    countedRows: z.number().int(),
    /** Of all prompts, each turn anew, where the endpoint counted them. */
    promptsTotal: z.number(),
  }),
  tools: z.array(
    z.object({
      name: z.string(),
      calls: z.number().int(),
      success: z.number().int(),
      failure: z.number().int(),
      /** Nothing is known of their results. */
      unknown: z.number().int(),
    }),
  ),
  /** Of the calls whose result is known. */
  toolSuccess: z.number().nullable(),
  reasoning: z.object({
    answers: z.number().int(),
    withReasoning: z.number().int(),
    share: z.number().nullable(),
    /** Rows with any, and rows in which every answer has it. */
    rowsWithAny: z.number().int(),
    rowsWithAll: z.number().int(),
  }),
  rewards: rewardStatsSchema,
});
export type StatsReport = z.infer<typeof statsReportSchema>;
