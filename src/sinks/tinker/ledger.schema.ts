import { z } from 'zod';

const groupRef = { taskId: z.string(), index: z.number().int() };

/** A group of a batch, and what was judged when the batch was: it must not depend on when the batch is written. */
export const batchGroupSchema = z.object({
  ...groupRef,
  members: z.array(
    z.object({
      sample: z.number().int(),
      /** Policy versions since that of its first turn; null = unknown. */
      lag: z.number().int().nullable(),
      /** Turns that are not trained, from 0. */
      maskedTurns: z.array(z.number().int()),
    }),
  ),
});
export type BatchGroup = z.infer<typeof batchGroupSchema>;

/** What became of groups: a batch of some, or one that is in none. Exactly one of the two is not null. */
export const tinkerEntrySchema = z.object({
  schemaVersion: z.literal(1),
  /** Batches count from 1. */
  batch: z.object({ number: z.number().int().min(1), groups: z.array(batchGroupSchema) }).nullable(),
  skipped: z.object({ ...groupRef, rule: z.string(), reason: z.string() }).nullable(),
  /** With this entry, so that the last one says how things stand. */
  totals: z.object({ batches: z.number().int(), groups: z.number().int(), skipped: z.number().int() }),
  at: z.number(),
});
export type TinkerTotals = z.infer<typeof tinkerEntrySchema>['totals'];
export type TinkerEntry = z.infer<typeof tinkerEntrySchema>;
export type Batch = NonNullable<TinkerEntry['batch']>;
export type Skipped = NonNullable<TinkerEntry['skipped']>;
