import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ownTokenizerFiles } from '../../../src/model/policy-server/index.js';
import { type ModelConfig, ModelRegistry } from '../../../src/model/registry.js';
import { tokenizerOf } from '../../../src/model/tokenizer/open-tokenizer.js';
import { ENV, modelConfig, modelRequest, NEVER, rejection } from '../fixtures.js';
import { completion, LocalEndpoint, reply, type SeenRequest } from '../local-endpoint.js';

// The answers are written after the servers' documentation and source; none of them could be recorded here.
const tokenizer = tokenizerOf(ownTokenizerFiles());
const SAID = '<tool_call>\n{"name": "finish", "arguments": {}}\n</tool_call>';
const IDS = tokenizer.encode(`${SAID}<|im_end|>`);
const LOGPROBS = IDS.map((_, i) => -(i + 1) / 8);
const PROMPT = tokenizer.encode(
  '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n',
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longrun-tokenizer-'));
  const { tokenizer: text, config, template } = ownTokenizerFiles();
  await writeFile(join(folder, 'tokenizer.json'), text);
  await writeFile(join(folder, 'tokenizer_config.json'), JSON.stringify(config));
  await writeFile(join(folder, 'chat_template.jinja'), template as string);
});
afterAll(() => rm(folder, { recursive: true }));

type Api = 'chat' | 'vllm' | 'sglang' | 'tinker';

/** One call to an endpoint that answers like this. */
async function call(
  tokenApi: Api,
  answer: (request: SeenRequest) => { status?: number; body: unknown; headers?: Record<string, string> },
  config: Partial<ModelConfig> = {},
  request: Partial<Parameters<typeof modelRequest>[0]> = {},
) {
  const endpoint = new LocalEndpoint((seen, response) => {
    const { status = 200, body, headers } = answer(seen);
    reply(response, status, body, headers);
  });
  const baseUrl = await endpoint.listen();
  const models = new ModelRegistry({ scripts: [], env: ENV });
  onTestFinished(async () => {
    await models.close();
    await endpoint.close();
  });
  const tokens = tokenApi === 'chat' ? { tokenApi } : { tokenApi, tokenizer: folder };
  const client = models.client(modelConfig({ baseUrl, ...tokens, ...config }));
  const answered = client.complete(modelRequest(request), NEVER);
  return { answered, seen: endpoint.seen, baseUrl };
}

const vllm = (choice: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => ({
  body: {
    ...{ id: 'cmpl-8d4f', object: 'text_completion', created: 1, model: 'served-model' },
    choices: [
      {
        ...{ index: 0, text: SAID, finish_reason: 'stop', stop_reason: null },
        logprobs: { token_logprobs: LOGPROBS, tokens: [], text_offset: [], top_logprobs: [] },
        ...{ token_ids: IDS, prompt_token_ids: PROMPT, ...choice },
      },
    ],
    usage: { prompt_tokens: PROMPT.length, completion_tokens: IDS.length, total_tokens: 0 },
    ...more,
  },
});

const sglang = (meta: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => ({
  body: {
    ...{ text: SAID, output_ids: IDS },
    meta_info: {
      ...{ id: 'e1', finish_reason: { type: 'stop', matched: 2 }, prompt_tokens: PROMPT.length },
      ...{ completion_tokens: IDS.length, cached_tokens: 4, weight_version: 'step-12' },
      output_token_logprobs: IDS.map((id, i) => [LOGPROBS[i], id, null]),
      ...meta,
    },
    ...more,
  },
});

const SAMPLED = { promptTokenIds: PROMPT, completionTokenIds: IDS, logprobs: LOGPROBS };

describe('a run with --token-api vllm', () => {
  it('sends the rendered prompt as ids and keeps what was sampled; the text is decoded from it', async () => {
    const { answered, seen } = await call(
      'vllm',
      () => vllm(),
      {},
      { maxTokens: 64, temperature: 0.5, seed: 9 },
    );
    expect(await answered).toMatchObject({
      ...SAMPLED,
      message: { content: SAID, reasoning: null, toolCalls: [] },
      ...{ finishReason: 'stop', model: 'served-model', requestId: 'cmpl-8d4f', sequenceId: null },
      rendering: { tokenizer: expect.stringContaining('@sha256:'), continued: false, rewritten: null },
      usage: { promptTokens: PROMPT.length, cachedTokens: 0, completionTokens: IDS.length },
    });
    expect(seen[0]?.path).toBe('/v1/completions');
    expect(seen[0]?.body).toEqual({
      ...{ model: 'test-model', prompt: PROMPT, max_tokens: 64, temperature: 0.5, seed: 9 },
      ...{ logprobs: 1, return_token_ids: true },
    });
    expect(seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${ENV.TEST_KEY}`,
      'x-longrun-call-id': 'call-0001',
    });
  });

  it('asks for no more than the context window has room for', async () => {
    const { answered, seen } = await call('vllm', () => vllm(), { contextWindow: PROMPT.length + 40 });
    await answered;
    expect(seen[0]?.body.max_tokens).toBe(40);
  });

  it('makes no call for a prompt that fills the window', async () => {
    const { answered, seen } = await call('vllm', () => vllm(), { contextWindow: PROMPT.length });
    expect(await rejection(answered)).toMatchObject({ code: 'model_context_overflow', retryable: false });
    expect(seen).toEqual([]);
  });

  it.each([
    [
      'one log-probability too few',
      { logprobs: { token_logprobs: LOGPROBS.slice(1) } },
      `${IDS.length} sampled token ids and ${IDS.length - 1} log-probabilities`,
    ],
    ['another prompt', { prompt_token_ids: [1] }, 'another prompt'],
    [
      'a log-probability that is none',
      { logprobs: { token_logprobs: [null, ...LOGPROBS.slice(1)] } },
      'null among its log-probabilities',
    ],
    ['an id that is none', { token_ids: [-1, ...IDS.slice(1)] }, '-1 among its token ids'],
  ])('counts an answer with %s as a failed try that was paid for', async (_, choice, reason) => {
    const { answered } = await call('vllm', () => vllm(choice));
    const error = await rejection(answered);
    expect(error).toMatchObject({ code: 'model_tokens_invalid', retryable: true });
    expect(error.message).toContain(reason);
    expect(error.details.usage.completionTokens).toBe(IDS.length);
  });

  it('does not try again where ids are not told at all', async () => {
    const { answered } = await call('vllm', () => vllm({ token_ids: null, logprobs: null }));
    const error = await rejection(answered);
    expect(error).toMatchObject({ code: 'model_tokens_invalid', retryable: false });
    expect(error.message).toContain('lacks the token ids that were sampled, their log-probabilities');
    expect(error.hint).toContain('--token-api vllm');
  });

  it.each([
    [429, { error: { message: 'slow down' } }, 'model_rate_limited', true],
    [
      400,
      { object: 'error', message: "This model's maximum context length is 10 tokens", code: 400 },
      'model_context_overflow',
      false,
    ],
    [500, 'Internal Server Error', 'model_unavailable', true],
    [401, { error: { message: `no such key ${ENV.TEST_KEY}` } }, 'model_rejected', false],
  ])('reads a refusal with %d as the provider means it', async (status, body, code, retryable) => {
    const { answered } = await call('vllm', () => ({ status, body, headers: { 'retry-after': '2' } }));
    const error = await rejection(answered);
    expect(error).toMatchObject({ code, retryable });
    expect(error.message).not.toContain(ENV.TEST_KEY);
  });
});

describe('a run with --token-api sglang', () => {
  it('asks /generate beside /v1 and reads ids, log-probabilities and the version of the weights', async () => {
    const { answered, seen } = await call('sglang', () => sglang(), {}, { temperature: 1, seed: 4 });
    expect(await answered).toMatchObject({
      ...SAMPLED,
      policyVersion: 'step-12',
      usage: { cachedTokens: 4 },
    });
    expect(seen[0]).toMatchObject({
      path: '/generate',
      body: {
        input_ids: PROMPT,
        sampling_params: {
          max_new_tokens: null,
          temperature: 1,
          sampling_seed: 4,
          skip_special_tokens: false,
        },
        return_logprob: true,
      },
    });
  });

  it('reads the ids beside the log-probabilities where older versions tell no others', async () => {
    const { answered } = await call('sglang', () => sglang({}, { output_ids: undefined }));
    expect(await answered).toMatchObject(SAMPLED);
  });

  it('counts an answer whose two lists of ids differ as a failed try', async () => {
    const { answered } = await call('sglang', () => sglang({}, { output_ids: IDS.toReversed() }));
    expect(await rejection(answered)).toMatchObject({ code: 'model_tokens_invalid', retryable: true });
  });

  it('tries again after a call that the server gave up', async () => {
    const { answered } = await call('sglang', () =>
      sglang({ finish_reason: { type: 'abort', message: 'shutting down' } }),
    );
    expect(await rejection(answered)).toMatchObject({ code: 'model_unavailable', retryable: true });
  });
});

describe('a run with --token-api tinker', () => {
  it('keeps the id of the sequence, and takes the checkpoint for the version of the weights', async () => {
    const model = 'tinker://0034d8c9:train:0/sampler_weights/000080';
    const { answered, seen } = await call(
      'tinker',
      () => vllm({ sequence_id: 'seq-17' }, { model }),
      { model },
      { model },
    );
    expect(await answered).toMatchObject({ ...SAMPLED, sequenceId: 'seq-17', policyVersion: '000080' });
    expect(seen[0]?.path).toBe('/v1/completions');
  });
});

describe('a run with --token-api chat', () => {
  const logprobs = {
    content: LOGPROBS.map((logprob) => ({ token: '', logprob, bytes: null, top_logprobs: [] })),
  };
  const chat = (choice: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => {
    const body = completion({ content: 'Hi.' });
    const choices = [{ ...body.choices[0], token_ids: IDS, logprobs, ...choice }];
    return {
      body: { ...body, choices, prompt_token_ids: PROMPT, ...more },
      headers: { 'x-policy-version': '3' },
    };
  };

  it('asks for ids and log-probabilities beside the answer', async () => {
    const { answered, seen } = await call('chat', () => chat());
    expect(await answered).toMatchObject({ ...SAMPLED, message: { content: 'Hi.' }, policyVersion: '3' });
    expect(seen[0]?.body).toMatchObject({ logprobs: true, return_token_ids: true });
  });

  it('refuses an answer without them by name', async () => {
    const { answered } = await call('chat', () =>
      chat({ token_ids: undefined }, { prompt_token_ids: undefined }),
    );
    const error = await rejection(answered);
    expect(error).toMatchObject({ code: 'model_tokens_invalid', retryable: false });
    expect(error.message).toContain('lacks the token ids of the prompt, the token ids that were sampled');
  });
});
