import { z } from 'zod';
import { endpointUrlSchema } from '../../core/model/endpoint-url.schema.js';

/** `state.json` as a trainer writes it. First what it says of its weights: all of it counts, or nothing. */
export const toldPolicySchema = z.object({
  policy_version: z.union([z.string().min(1), z.number().int()], { error: 'a text or a whole number' }),
  /** What model calls ask the endpoint for from now on. */
  model: z.string({ error: 'a text' }).min(1).nullish(),
  base_url: endpointUrlSchema.nullish(),
});

/** Then the number of the last batch that was trained, which it needs no more; 0 = none yet. */
export const toldProgressSchema = z.object({
  consumed: z.int({ error: 'a whole number from 0 on' }).min(0),
});

/** The newest state of the trainer that was taken. */
export const trainerStateSchema = z.object({
  schemaVersion: z.literal(1),
  /** Null while it has said nothing of its weights that could be taken. */
  policyVersion: z.string().nullable(),
  model: z.string().nullable(),
  baseUrl: z.string().nullable(),
  consumed: z.number().int(),
  at: z.number(),
});
export type TrainerState = z.infer<typeof trainerStateSchema>;
