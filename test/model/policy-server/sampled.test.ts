import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownTokenizerFiles, type PolicyServer } from '../../../src/model/policy-server/index.js';
import { SpellingSampler } from '../../../src/model/policy-server/sampler.js';
import { tokenizerOf } from '../../../src/model/tokenizer/open-tokenizer.js';
import { startPolicyServer } from '../../support/policy-server.js';

const ASKED = 'List the files: naïve café, 漢字 and 🦀.';
const SAID = {
  content: ASKED,
  toolCalls: [{ name: 'terminal', arguments: { command: 'echo "é" > /app/answer' } }],
};

let server: PolicyServer;
let root: string;
beforeAll(async () => {
  server = await startPolicyServer({ policy: () => SAID, usualBias: 0 });
  root = server.baseUrl.replace(/\/v1$/, '');
});
afterAll(() => server.close());

// biome-ignore lint/suspicious/noExplicitAny: answers of several APIs.
async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<any> {
  const response = await fetch(root + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return response.json();
}

const CHAT = {
  model: 'demo',
  messages: [{ role: 'user', content: ASKED }],
  tools: [{ type: 'function', function: { name: 'terminal' } }],
  ...{ logprobs: true, top_logprobs: 20, return_token_ids: true, seed: 5 },
};
const tokenizer = tokenizerOf(ownTokenizerFiles());

describe('the policy server', () => {
  it('answers a chat with the ids of prompt and answer, and a log-probability for each id of the answer', async () => {
    const { choices, prompt_token_ids: prompt, usage } = await post('/v1/chat/completions', CHAT);
    const { token_ids: ids, logprobs, message, finish_reason: reason } = choices[0];
    expect(logprobs.content).toHaveLength(ids.length);
    expect(usage).toMatchObject({ prompt_tokens: prompt.length, completion_tokens: ids.length });
    expect(tokenizer.decode(prompt)).toContain(
      `<|im_start|>user\n${ASKED}<|im_end|>\n<|im_start|>assistant\n`,
    );
    expect(tokenizer.decode(ids)).toContain(`${ASKED}\n<tool_call>`);
    expect(ids.at(-1)).toBe([...tokenizer.stopIds][0]);
    expect(reason).toBe('tool_calls');
    expect(message).toMatchObject({ content: ASKED, tool_calls: [{ function: { name: 'terminal' } }] });
  });

  it('tells log-probabilities that sum to one, of more than one choice', async () => {
    const { choices } = await post('/v1/chat/completions', CHAT);
    const positions: { logprob: number; top_logprobs: { logprob: number }[] }[] = choices[0].logprobs.content;
    for (const { logprob, top_logprobs: top } of positions) {
      expect(top.reduce((sum, choice) => sum + Math.exp(choice.logprob), 0)).toBeCloseTo(1, 10);
      expect(top.map((choice) => choice.logprob)).toContain(logprob);
    }
    expect(positions.filter(({ top_logprobs: top }) => top.length > 1).length).toBeGreaterThan(10);
  });

  it('draws by them: spellings come as often as they are likely', () => {
    const sampler = new SpellingSampler(tokenizer);
    const options = { prompt: [1], temperature: 1, weights: 3, usualBias: 0 };
    const firsts = Array.from(
      { length: 2000 },
      (_, seed) => sampler.sample('terminal', { ...options, seed })[0],
    );
    const choices = firsts[0]?.choices ?? [];
    expect(choices.length).toBeGreaterThan(4);
    for (const { id, logprob } of choices) {
      const share = firsts.filter((token) => token?.id === id).length / firsts.length;
      expect(Math.abs(share - Math.exp(logprob))).toBeLessThan(0.04);
    }
  });

  it('is the same for the same seed and another for another', async () => {
    const first = await post('/v1/chat/completions', CHAT);
    const ids = (answer: typeof first) => answer.choices[0].token_ids;
    expect(await post('/v1/chat/completions', CHAT)).toEqual(first);
    const other = await post('/v1/chat/completions', { ...CHAT, seed: 6 });
    expect(ids(other)).not.toEqual(ids(first));
    expect(tokenizer.decode(ids(other))).toBe(tokenizer.decode(ids(first)));
  });

  it('tells the log-probabilities of the temperature it was asked for; at 0 all is certain', async () => {
    const warm = await post('/v1/chat/completions', { ...CHAT, temperature: 2 });
    const cold = await post('/v1/chat/completions', { ...CHAT, temperature: 0 });
    const first = (answer: typeof warm) =>
      answer.choices[0].logprobs.content.find(
        (position: { top_logprobs: unknown[] }) => position.top_logprobs.length > 1,
      );
    const usual = first(await post('/v1/chat/completions', CHAT)).top_logprobs;
    const spread = ({ top_logprobs: top }: typeof warm) => top[0].logprob - top.at(-1).logprob;
    expect(spread(first(warm))).toBeCloseTo((usual[0].logprob - usual.at(-1).logprob) / 2, 6);
    expect(cold.choices[0].logprobs.content.every(({ logprob }: { logprob: number }) => logprob === 0)).toBe(
      true,
    );
  });

  it('answers the same to prompts of ids, by the API of vLLM and by that of SGLang', async () => {
    const chat = await post('/v1/chat/completions', { ...CHAT, tools: undefined });
    const prompt = chat.prompt_token_ids;
    const text = await post('/v1/completions', {
      ...{ model: 'demo', prompt, seed: 5, max_tokens: 500, logprobs: 1, return_token_ids: true },
    });
    const sglang = await post('/generate', {
      input_ids: prompt,
      sampling_params: { max_new_tokens: 500, sampling_seed: 5 },
      return_logprob: true,
    });
    const [choice] = text.choices;
    expect(choice.prompt_token_ids).toEqual(prompt);
    expect(choice.token_ids).toEqual(chat.choices[0].token_ids);
    expect(sglang.output_ids).toEqual(choice.token_ids);
    expect(sglang.meta_info.output_token_logprobs).toEqual(
      choice.token_ids.map((id: number, i: number) => [choice.logprobs.token_logprobs[i], id, null]),
    );
  });

  it('stops at the limit of tokens, which is 16 for a completion that names none', async () => {
    const prompt = tokenizer.encode('<|im_start|>user\nx<|im_end|>\n<|im_start|>assistant\n');
    const { choices } = await post('/v1/completions', { model: 'demo', prompt, return_token_ids: true });
    expect(choices[0]).toMatchObject({ finish_reason: 'length' });
    expect(choices[0].token_ids).toHaveLength(16);
  });

  it('keeps a ledger of what it sampled, and takes a new version of its weights', async () => {
    await post('/policy', { version: '7' });
    const answer = await post('/v1/chat/completions', CHAT, { 'x-longrun-call-id': 'mine' });
    // biome-ignore lint/suspicious/noExplicitAny: a document as it came.
    const { calls } = (await (await fetch(`${root}/ledger`)).json()) as any;
    expect(calls.at(-1)).toMatchObject({
      ...{ api: 'chat', call_id: 'mine', seed: 5, turn: 0, policy_version: '7' },
      token_ids: answer.choices[0].token_ids,
      prompt_token_ids: answer.prompt_token_ids,
      logprobs: answer.choices[0].logprobs.content.map(({ logprob }: { logprob: number }) => logprob),
    });
    const stats = await (await fetch(`${root}/stats`)).json();
    expect(stats).toMatchObject({ answered: calls.length, in_flight: 0, failures: {}, policy_version: '7' });
  });
});
