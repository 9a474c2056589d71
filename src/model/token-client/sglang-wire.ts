import { z } from 'zod';
import { noAnswer } from '../openai/provider-error.js';
import { toldTokens } from '../told-number.schema.js';
import type { TokenWire } from './token-wire.js';

const schema = z.looseObject({
  output_ids: z.array(z.number()).nullish(),
  meta_info: z.looseObject({
    id: z.string().nullish(),
    finish_reason: z.looseObject({ type: z.string(), message: z.string().nullish() }).nullish(),
    prompt_tokens: toldTokens,
    completion_tokens: toldTokens,
    cached_tokens: toldTokens,
    /** Log-probability, id, and its text or null. */
    output_token_logprobs: z.array(z.tuple([z.number().nullable(), z.number()], z.unknown())).nullish(),
    weight_version: z.union([z.string(), z.number()]).nullish(),
  }),
});

/** SGLang's own `/generate`, beside its `/v1` (https://docs.sglang.io/basic_usage/sampling_params.html). It serves one model and asks for none. */
export const sglangWire: TokenWire = {
  url: (baseUrl) => `${baseUrl.replace(/\/v1$/, '')}/generate`,
  body: ({ promptTokenIds, maxTokens, temperature, seed }) => ({
    input_ids: promptTokenIds,
    sampling_params: {
      // Left out it would be 128; null is what the context has room for.
      max_new_tokens: maxTokens,
      ...(temperature === null ? {} : { temperature }),
      ...(seed === null ? {} : { sampling_seed: seed }),
      skip_special_tokens: false,
    },
    return_logprob: true,
    stream: false,
  }),
  read(body, { promptTokenIds }) {
    const { output_ids: output, meta_info: meta } = schema.parse(body);
    const reason = meta.finish_reason;
    if (reason?.type === 'abort')
      throw noAnswer('SGLang', `it gave the call up: ${reason.message ?? 'no reason given'}`);
    const sampled = meta.output_token_logprobs ?? null;
    return {
      promptTokenIds,
      // Where both are told they must be as many: the check of lengths sees to it.
      completionTokenIds: output ?? sampled?.map(([, id]) => id) ?? null,
      logprobs:
        sampled?.map(([logprob, id], i) => (output == null || output[i] === id ? logprob : null)) ?? null,
      finishReason: reason?.type ?? 'stop',
      usage: {
        promptTokens: meta.prompt_tokens ?? promptTokenIds.length,
        cachedTokens: meta.cached_tokens ?? 0,
        completionTokens: meta.completion_tokens ?? sampled?.length ?? 0,
      },
      requestId: meta.id ?? null,
      sequenceId: null,
      policyVersion: meta.weight_version ?? null,
      model: null,
    };
  },
};
