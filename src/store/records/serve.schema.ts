import { z } from 'zod';
import { POLICY_SOURCES } from '../../core/run/serve-config.schema.js';

const versioned = { schemaVersion: z.literal(1) };

/** One closed group in the feed of its run. A group may stand there twice: readers go by its id. */
export const feedEntrySchema = z.object({
  ...versioned,
  taskId: z.string(),
  index: z.number().int(),
  closedAt: z.number(),
});
export type FeedEntry = z.infer<typeof feedEntrySchema>;

/** Put when a shift opens: it has the groups `from` to `to` (exclusive) of the run's sequence. */
export const shiftRecordSchema = z.object({
  ...versioned,
  from: z.number().int(),
  to: z.number().int(),
  openedAt: z.number(),
});

/** Put once nothing more will be started, and every group that was has closed: the run has so many groups. */
export const servedSchema = z.object({
  ...versioned,
  groups: z.number().int(),
  reason: z.enum(['groups', 'trainer', 'cancelled']),
  at: z.number(),
});
export type Served = z.infer<typeof servedSchema>;

/** A version of the weights, told by a trainer or seen at the endpoint. Its place in the log is its age. */
export const policySchema = z.object({
  ...versioned,
  version: z.string(),
  source: z.enum([...POLICY_SOURCES, 'api']),
  /** What to ask the endpoint for from now on; null = as the run is configured. */
  model: z.string().nullable().default(null),
  baseUrl: z.string().nullable().default(null),
  at: z.number(),
});
export type Policy = z.infer<typeof policySchema>;
