import { z } from 'zod';

/** More sequences in a batch are a broken answer: all sizes of groups that fill one are tried. */
const MOST_SEQUENCES = 1e6;

/** Answers of an Atropos server, of which only what is read here; both numbers −1 before a trainer has registered. */
export const infoSchema = z.object({
  batch_size: z.number().int().max(MOST_SEQUENCES),
  max_token_len: z.number().int(),
});
export type Info = z.infer<typeof infoSchema>;

/** `queue_size` counts all that is queued in groups of the asking environment, `self_queue_size` its own. */
export const envStatusSchema = z.object({
  current_step: z.number().int(),
  queue_size: z.number().min(0),
  self_queue_size: z.number().min(0),
  unallocated_fraction: z.number(),
});
export type EnvStatus = z.infer<typeof envStatusSchema>;

const registeredEnvSchema = z.object({
  status: z.literal('success'),
  env_id: z.number().int(),
  /** The desired name and how many had it before: `name_0`. */
  wandb_name: z.string().nullable().default(null),
  checkpoint_dir: z.string().nullable().default(null),
  starting_step: z.number().int(),
  checkpoint_interval: z.number().nullable().default(null),
  /** −1 = the trainer has no end. */
  num_steps: z.number().int(),
});
export type RegisteredEnv = z.infer<typeof registeredEnvSchema>;

/** Any other status: the trainer has not asked for its first batch. */
export const registerAnswerSchema = z.union([registeredEnvSchema, z.object({ status: z.string() })]);

/** `buffered`: it is not of the size that the environment registered with. */
export const postedSchema = z.object({ status: z.enum(['received', 'buffered']) });
