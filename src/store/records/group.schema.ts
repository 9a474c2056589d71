import { z } from 'zod';
import { STOP_REASONS } from '../../core/rollout/outcome.js';

/** One number for all tokens of a step, or one per token. */
const stepAdvantageSchema = z.union([z.number(), z.array(z.number())]);

/** A group once all its members have ended, or its deadline has passed. Put once. */
export const groupRecordSchema = z.object({
  schemaVersion: z.literal(1),
  /** `<run>/<task>/<index>` */
  groupId: z.string(),
  taskId: z.string(),
  /** Of the groups of this task, from 0: samples `index·size` to `index·size + size − 1`. */
  index: z.number().int(),
  size: z.number().int(),
  estimator: z.string(),
  policy: z.enum(['complete', 'min-valid']),
  /** False: it has too few scored members for its policy, and goes to no trainer. */
  valid: z.boolean(),
  /** Why it is not valid; null when it is. */
  reason: z.string().nullable(),
  /** By sample. */
  members: z.array(
    z.object({
      sample: z.number().int(),
      rolloutId: z.string(),
      attempt: z.number().int().nullable(),
      reward: z.number().nullable(),
      stopReason: z.enum(STOP_REASONS).nullable(),
      turns: z.number().int(),
      /** Per step; null without a score, or where the estimator needs a batch of groups. */
      advantages: z.array(stepAdvantageSchema).nullable(),
      policyVersion: z.string().nullable(),
    }),
  ),
  /** Over the scored members; null without any. `std` is the population's. */
  mean: z.number().nullable(),
  std: z.number().nullable(),
  zeroVariance: z.boolean(),
  policyVersions: z.array(z.string()),
  closedAt: z.number(),
});
export type GroupRecord = z.infer<typeof groupRecordSchema>;
