import { z } from 'zod';

const versioned = { schemaVersion: z.literal(1) };

/** A group that was asked for, with all that was settled when it was: put once, before anything is started. */
export const requestRecordSchema = z.object({
  ...versioned,
  id: z.string(),
  /** The small run that holds the group. */
  runId: z.string(),
  /** SHA-256 of what was asked for: another body under the same id is refused. */
  digest: z.string(),
  environment: z.object({ name: z.string(), source: z.string() }),
  taskId: z.string(),
  groupSize: z.number().int(),
  policy: z.object({
    version: z.string().nullable(),
    model: z.string().nullable(),
    baseUrl: z.string().nullable(),
  }),
  seed: z.number().int().nullable(),
  createdAt: z.number(),
});
export type RequestRecord = z.output<typeof requestRecordSchema>;

/** Items `from` to `to` (exclusive) of an environment's sequence went to a consumer. */
export const handedOutSchema = z.object({
  ...versioned,
  from: z.number().int(),
  to: z.number().int(),
  at: z.number(),
});
