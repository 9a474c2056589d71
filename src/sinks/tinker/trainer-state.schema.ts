import { z } from 'zod';
import { endpointUrlSchema } from '../../core/endpoint-url.schema.js';

/** `state.json` as a trainer writes it: which weights it has, and how many batches it needs no more. */
export const stateFileSchema = z.object({
  policy_version: z.union([z.string().min(1), z.number().int()]),
  /** What model calls ask the endpoint for from now on. */
  model: z.string().min(1).nullish(),
  base_url: endpointUrlSchema.nullish(),
  /** The number of the last batch that was trained; 0 = none yet. */
  consumed: z.number().int().min(0),
});

/** The newest state of the trainer that was taken. */
export const trainerStateSchema = z.object({
  schemaVersion: z.literal(1),
  policyVersion: z.string(),
  model: z.string().nullable(),
  baseUrl: z.string().nullable(),
  consumed: z.number().int(),
  at: z.number(),
});
export type TrainerState = z.infer<typeof trainerStateSchema>;
