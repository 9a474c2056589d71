import { z } from 'zod';

/**
 * ATIF as it is read, versions 1.0 to 1.7 (Harbor's RFC 0001), in its own spelling. What later versions
 * added is optional; fields that nothing of ours has a place for are dropped.
 */
export const ATIF_VERSION = 'ATIF-v1.7';

const extra = z.record(z.string(), z.unknown()).nullish();

export const atifContentSchema = z.union([
  z.string(),
  z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.literal('image'), source: z.object({ media_type: z.string(), path: z.string() }) }),
    ]),
  ),
]);
export type AtifContent = z.output<typeof atifContentSchema>;

const toolCallSchema = z.object({
  tool_call_id: z.string(),
  function_name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  extra,
});

const resultSchema = z.object({
  source_call_id: z.string().nullish(),
  content: atifContentSchema.nullish(),
  extra,
});

const metricsSchema = z.object({
  prompt_tokens: z.number().nullish(),
  completion_tokens: z.number().nullish(),
  cached_tokens: z.number().nullish(),
  cost_usd: z.number().nullish(),
  prompt_token_ids: z.array(z.number()).nullish(),
  completion_token_ids: z.array(z.number()).nullish(),
  logprobs: z.array(z.number()).nullish(),
  extra,
});
export type AtifMetrics = z.output<typeof metricsSchema>;

export const atifStepSchema = z.object({
  step_id: z.number().int(),
  timestamp: z.string().nullish(),
  source: z.enum(['system', 'user', 'agent']),
  model_name: z.string().nullish(),
  message: atifContentSchema,
  reasoning_content: z.string().nullish(),
  tool_calls: z.array(toolCallSchema).nullish(),
  observation: z.object({ results: z.array(resultSchema) }).nullish(),
  metrics: metricsSchema.nullish(),
  is_copied_context: z.boolean().nullish(),
  llm_call_count: z.number().int().nullish(),
  extra,
});
export type AtifStep = z.output<typeof atifStepSchema>;

export const atifSchema = z.object({
  schema_version: z.string().regex(/^ATIF-v1\.[0-7]$/, 'accepted: ATIF-v1.0 to ATIF-v1.7'),
  session_id: z.string().nullish(),
  trajectory_id: z.string().nullish(),
  agent: z.object({
    name: z.string(),
    version: z.string(),
    model_name: z.string().nullish(),
    tool_definitions: z.array(z.record(z.string(), z.unknown())).nullish(),
  }),
  steps: z.array(atifStepSchema).min(1),
  notes: z.string().nullish(),
  subagent_trajectories: z.array(z.unknown()).nullish(),
  extra,
});
export type AtifDocument = z.output<typeof atifSchema>;
