import { z } from 'zod';

/** What a person thinks of a rollout. Append-only; the newest counts. */
export const feedbackSchema = z.object({
  schemaVersion: z.literal(1),
  /** 1 for up, 0 for down, else the number that was given. */
  value: z.number(),
  by: z.string(),
  at: z.number(),
  note: z.string().nullable(),
});
export type Feedback = z.infer<typeof feedbackSchema>;
