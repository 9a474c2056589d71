import { z } from 'zod';
import { wireRequestSchema } from '../scripted/wire-request.js';

const ids = z.array(z.int().nonnegative()).min(1);
const temperature = z.number().min(0).nullish();
const limit = z.int().positive().nullish();

/** The part of each request that the policy server looks at; more is ignored, as real servers do. */
export const chatRequestSchema = wireRequestSchema.extend({
  temperature,
  max_tokens: limit,
  max_completion_tokens: limit,
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).nullish(),
  return_token_ids: z.boolean().nullish(),
});
export type ChatRequest = z.infer<typeof chatRequestSchema>;

export const completionRequestSchema = z.looseObject({
  model: z.string(),
  prompt: z.union([ids, z.string()]),
  temperature,
  max_tokens: limit,
  seed: z.number().nullish(),
  logprobs: z.int().min(0).nullish(),
  return_token_ids: z.boolean().nullish(),
  stream: z.literal(false).nullish(),
});
export type CompletionRequest = z.infer<typeof completionRequestSchema>;

export const generateRequestSchema = z.looseObject({
  input_ids: ids.nullish(),
  text: z.string().nullish(),
  sampling_params: z
    .looseObject({ max_new_tokens: limit, temperature, sampling_seed: z.number().nullish() })
    .default({}),
  return_logprob: z.boolean().nullish(),
  stream: z.literal(false).nullish(),
});
export type GenerateRequest = z.infer<typeof generateRequestSchema>;
