import { z } from 'zod';

const talliesSchema = z.object({
  delivered: z.number().int(),
  parked: z.number().int(),
  skipped: z.number().int(),
  /** Rollouts in groups that were delivered, which are masked because their policy was too old. */
  masked: z.number().int(),
});
export type Tallies = z.infer<typeof talliesSchema>;

/** How far a sink has come in the feed, so that its next executor need not begin at the start; and what people see. */
export const progressSchema = z.object({
  schemaVersion: z.literal(1),
  /** The sink is done with every entry of the feed before this one. */
  position: z.number().int(),
  /** Which groups those entries were, by number in the run's sequence: all below, and these. */
  below: z.number().int(),
  above: z.array(z.number().int()),
  /** Of those entries. */
  settled: talliesSchema,
  /** Of all that the sink is done with. */
  now: talliesSchema,
  /** Entries that it has read, and different groups among them. */
  read: z.number().int(),
  closed: z.number().int(),
  /** The largest lag in the group that was read last; null = not known. */
  lag: z.number().nullable().default(null),
  /** What the sink says of itself: numbers by name, and one line. */
  queued: z.number().int().nullable().default(null),
  counts: z.record(z.string(), z.number()).default({}),
  note: z.string().nullable().default(null),
  at: z.number(),
});
export type Progress = z.infer<typeof progressSchema>;
/** What the next executor goes on from. */
export type FeedCursor = Pick<Progress, 'position' | 'below' | 'above' | 'settled'>;
