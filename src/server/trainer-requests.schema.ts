import { z } from 'zod';
import { endpointUrlSchema } from '../core/endpoint-url.schema.js';

/** Numbers as pydantic takes them: digits in a string, too. */
const number = z.union([z.number(), z.string().trim().min(1).pipe(z.coerce.number())]).pipe(z.number());
const int = number.pipe(z.number().int());

/** `POST /register` */
export const registerRequestSchema = z.object({
  wandb_group: z.string(),
  wandb_project: z.string(),
  batch_size: int,
  max_token_len: int,
  checkpoint_dir: z.string(),
  save_checkpoint_interval: int,
  starting_step: int,
  num_steps: int,
});

/** `POST /register-env` */
export const registerEnvRequestSchema = z.object({
  max_token_length: int,
  desired_name: z.string(),
  weight: number,
  group_size: int,
  min_batch_allocation: number.nullable().default(null),
});

/** `POST /disconnect-env`, `GET /status-env` */
export const envRequestSchema = z.object({ env_id: int });

/** `GET /batch` */
export const batchQuerySchema = z.object({
  ack: int
    .pipe(z.number().min(0))
    .optional()
    .describe(
      'The newest batch that the trainer has, 0 for none: it is acknowledged, and each comes exactly once',
    ),
});

/** `POST /v1/policy` */
export const policyRequestSchema = z.object({
  version: z
    .union([z.string().min(1), z.number().transform(String)])
    .describe('What the weights are called from now on'),
  model: z.string().min(1).nullable().default(null).describe('What to ask the inference endpoint for'),
  base_url: endpointUrlSchema.nullable().default(null).describe('Where the inference endpoint is'),
});
