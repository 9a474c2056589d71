import { z } from 'zod';
import type { AMENDABLE, LimitChanges } from '../../core/run/limits.js';
import { runConfigSchema } from '../../core/run/run-config.schema.js';

const run = runConfigSchema.shape;
const amount = z.number().positive().nullable().default(null);
const tokens = z.number().int().positive().nullable().default(null);

/** What `runs set` may change, each checked as where a run's settings are. Null = as it was. */
export const limitChangesSchema = z.object({
  budgetUsd: amount,
  budgetTokens: tokens,
  groupBudgetUsd: amount,
  groupBudgetTokens: tokens,
  rolloutBudgetUsd: amount,
  rolloutBudgetTokens: tokens,
  concurrency: run.concurrency.nullable().default(null),
  weight: run.weight.unwrap().nullable().default(null),
  priority: run.priority.unwrap().nullable().default(null),
} satisfies Record<(typeof AMENDABLE)[number], z.ZodType>) satisfies z.ZodType<LimitChanges>;

/** One change of a run's limits. Append-only: later ones go over earlier ones. */
export const amendmentSchema = limitChangesSchema.extend({
  schemaVersion: z.literal(1),
  n: z.number().int().positive(),
  amendedAt: z.number(),
});
export type Amendment = z.infer<typeof amendmentSchema>;
