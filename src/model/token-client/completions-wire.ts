import { z } from 'zod';
import { toldTokens } from '../told-number.schema.js';
import type { TokenAnswer, TokenCall, TokenWire } from './token-wire.js';

const ids = z.array(z.number()).nullish();
const text = z.string().nullish();

const schema = z.looseObject({
  id: text,
  model: text,
  choices: z
    .array(
      z.looseObject({
        finish_reason: text,
        token_ids: ids,
        prompt_token_ids: ids,
        logprobs: z.looseObject({ token_logprobs: z.array(z.number().nullable()).nullish() }).nullish(),
        sequence_id: text,
      }),
    )
    .min(1),
  usage: z
    .looseObject({
      prompt_tokens: toldTokens,
      completion_tokens: toldTokens,
      prompt_tokens_details: z.looseObject({ cached_tokens: toldTokens }).nullish(),
    })
    .nullish(),
  prompt_token_ids: ids,
  sequence_id: text,
  policy_version: z.union([z.string(), z.number()]).nullish(),
});

/**
 * `/v1/completions` with a prompt of ids, `return_token_ids` and `logprobs`: vLLM (0.10.2 and later,
 * https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html) and Tinker
 * (https://tinker-docs.thinkingmachines.ai/inference/openai/completions/), whose `sequence_id` is kept.
 */
export const completionsWire: TokenWire = {
  url: (baseUrl) => `${baseUrl}/completions`,
  body: ({ model, promptTokenIds, maxTokens, temperature, seed }) => ({
    model,
    prompt: promptTokenIds,
    // Left out it would be 16; null is what the context has room for.
    max_tokens: maxTokens,
    ...(temperature === null ? {} : { temperature }),
    ...(seed === null ? {} : { seed }),
    logprobs: 1,
    return_token_ids: true,
  }),
  read(body, call) {
    const answer = schema.parse(body);
    const [choice] = answer.choices;
    return {
      promptTokenIds: choice?.prompt_token_ids ?? answer.prompt_token_ids ?? call.promptTokenIds,
      completionTokenIds: choice?.token_ids ?? null,
      logprobs: choice?.logprobs?.token_logprobs ?? null,
      finishReason: choice?.finish_reason ?? 'stop',
      usage: usage(answer.usage, call, choice?.token_ids?.length ?? 0),
      requestId: answer.id ?? null,
      sequenceId: choice?.sequence_id ?? answer.sequence_id ?? null,
      policyVersion: answer.policy_version ?? null,
      model: answer.model ?? null,
    };
  },
};

function usage(
  told: z.infer<typeof schema>['usage'],
  call: TokenCall,
  sampled: number,
): TokenAnswer['usage'] {
  return {
    promptTokens: told?.prompt_tokens ?? call.promptTokenIds.length,
    cachedTokens: told?.prompt_tokens_details?.cached_tokens ?? 0,
    completionTokens: told?.completion_tokens ?? sampled,
  };
}
