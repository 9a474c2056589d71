import { z } from 'zod';
import { usageSchema } from '../../store/records/records.schema.js';

/** A score in the ledger, as the reward model gave it: shapes and weights are applied to it afresh each time. */
export const keptScoreSchema = z.object({
  schemaVersion: z.literal(1),
  sessionId: z.string(),
  by: z.string(),
  /** Epoch milliseconds. */
  at: z.number(),
  score: z.number(),
  components: z.record(z.string(), z.number()),
  rationale: z.string().nullable(),
  usage: usageSchema.nullable(),
  costUsd: z.number().nullable(),
});
export type KeptScore = z.infer<typeof keptScoreSchema>;
