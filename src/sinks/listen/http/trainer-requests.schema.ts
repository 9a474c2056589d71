import { z } from 'zod';
import { endpointUrlSchema } from '../../../core/model/endpoint-url.schema.js';

/** Sequences in a batch: the sums of sizes that could fill one are tried, up to this. */
const MAX_BATCH = 8_192;
/** Sequences in a group. */
const MAX_GROUP = 1_024;
/** Counts and lengths that are only passed on, or added up: what Python's and C's integers of 32 bits hold. */
const MAX_COUNT = 2 ** 31 - 1;
const MAX_WEIGHT = 1_000_000;
const MAX_NAME = 200;
const MAX_PATH = 4_096;

/** Numbers as pydantic takes them: digits in a string, too. */
const number = z
  .union([z.number(), z.string().max(50).trim().min(1).pipe(z.coerce.number())])
  .pipe(z.number());
const int = (least: number, most: number) => number.pipe(z.number().int().min(least).max(most));
/** Trainers say -1 for "none". */
const count = int(-1, MAX_COUNT);
const name = z.string().max(MAX_NAME);

/** `POST /register` */
export const registerRequestSchema = z.object({
  wandb_group: name,
  wandb_project: name,
  batch_size: int(1, MAX_BATCH),
  max_token_len: count,
  checkpoint_dir: z.string().max(MAX_PATH),
  save_checkpoint_interval: count,
  starting_step: int(0, MAX_COUNT),
  num_steps: count,
});

/** `POST /register-env` */
export const registerEnvRequestSchema = z.object({
  max_token_length: count,
  desired_name: name,
  weight: number.pipe(z.number().min(0).max(MAX_WEIGHT)),
  group_size: int(1, MAX_GROUP),
  min_batch_allocation: number.pipe(z.number().min(0).max(1)).nullable().default(null),
});

/** `POST /disconnect-env`, `GET /status-env` */
export const envRequestSchema = z.object({ env_id: int(-1, MAX_COUNT) });

/** `GET /batch` */
export const batchQuerySchema = z.object({
  ack: int(0, MAX_COUNT)
    .optional()
    .describe(
      'The newest batch that the trainer has, 0 for none: it is acknowledged, and each comes exactly once',
    ),
});

/** `POST /v1/policy` */
export const policyRequestSchema = z.object({
  version: z
    .union([z.string().min(1).max(MAX_NAME), z.number().transform(String)])
    .describe('What the weights are called from now on'),
  model: z
    .string()
    .min(1)
    .max(MAX_NAME)
    .nullable()
    .default(null)
    .describe('What to ask the inference endpoint for'),
  base_url: endpointUrlSchema.nullable().default(null).describe('Where the inference endpoint is'),
});
