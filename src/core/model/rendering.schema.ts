import { z } from 'zod';

/** How we made the prompt of a call out of messages; the endpoint was sent ids. */
export const renderingSchema = z.object({
  /** Name and digest of the tokenizer. */
  tokenizer: z.string(),
  /** SHA-256 of the prompt as the chat template writes the whole conversation. */
  textDigest: z.string(),
  /** What templates that write the date took for today; epoch milliseconds. */
  now: z.number(),
  /** The ids of the turn before, prompt and answer, begin this prompt unchanged. */
  continued: z.boolean(),
  /** Why not, where there was a turn before. */
  rewritten: z.string().nullable(),
});
export type Rendering = z.infer<typeof renderingSchema>;
