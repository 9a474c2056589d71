import { afterEach, describe, expect, it } from 'vitest';
import { ModelRegistry } from '../../src/model/registry.js';
import { ENV, KEY, modelConfig, modelRequest, NEVER } from './fixtures.js';
import { completion, LocalEndpoint, reply, type SeenRequest } from './local-endpoint.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function serve(body: unknown, headers: Record<string, string> = {}) {
  const endpoint = new LocalEndpoint((_request, response) => reply(response, 200, body, headers));
  open.push(endpoint);
  return { endpoint, baseUrl: await endpoint.listen() };
}

function registry(): ModelRegistry {
  const made = new ModelRegistry({ scripts: [], env: ENV });
  open.push(made);
  return made;
}

describe('an answer of an OpenAI-compatible endpoint', () => {
  it('is kept with its usage, cost, request id and the model served', async () => {
    const { baseUrl } = await serve(completion({ content: 'Hi.' }), { 'x-request-id': 'req-77' });
    const prices = { 'test-model': { input: 2, cachedInput: 0.5, output: 8 } };
    const client = registry().client(modelConfig({ baseUrl, prices }));
    const response = await client.complete(modelRequest(), NEVER);
    expect(response).toMatchObject({
      message: { role: 'assistant', content: 'Hi.', reasoning: null, toolCalls: [] },
      finishReason: 'stop',
      usage: { promptTokens: 1000, cachedTokens: 400, completionTokens: 50 },
      requestId: 'req-77',
      model: 'served-model-001',
      promptTokenIds: null,
      completionTokenIds: null,
      logprobs: null,
    });
    expect(response.costUsd).toBeCloseTo((600 * 2 + 400 * 0.5 + 50 * 8) / 1e6, 12);
    expect(response.latencyMs).toBeGreaterThanOrEqual(0);
  });

  it('has no cost where no price is known', async () => {
    const { baseUrl } = await serve(completion({ content: 'Hi.' }));
    const response = await registry().client(modelConfig({ baseUrl })).complete(modelRequest(), NEVER);
    expect(response.costUsd).toBeNull();
  });

  it('takes the cost that the endpoint reports, unless a price was set', async () => {
    const reported = completion(
      { content: 'x' },
      { usage: { prompt_tokens: 1, completion_tokens: 1, cost: 0.25 } },
    );
    const { baseUrl } = await serve(reported);
    const models = registry();
    const cost = async (prices: Record<string, { input: number; cachedInput: null; output: number }>) =>
      (await models.client(modelConfig({ baseUrl, prices })).complete(modelRequest(), NEVER)).costUsd;
    expect(await cost({})).toBe(0.25);
    expect(await cost({ 'test-model': { input: 1e6, cachedInput: null, output: 0 } })).toBe(1);
  });

  it('gives tool calls as the model wrote them, and arguments sent as an object as text', async () => {
    const { baseUrl } = await serve(
      completion({
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'terminal', arguments: '{"command": "ls"' } },
          { id: null, type: 'function', function: { name: 'todo', arguments: { merge: true } } },
          { id: 'c', type: 'function', function: { name: 'finish' } },
        ],
      }),
    );
    const { message } = await registry().client(modelConfig({ baseUrl })).complete(modelRequest(), NEVER);
    expect(message.toolCalls).toEqual([
      { id: 'a', name: 'terminal', arguments: '{"command": "ls"' },
      { id: '', name: 'todo', arguments: '{"merge":true}' },
      { id: 'c', name: 'finish', arguments: '' },
    ]);
    expect(message.content).toBe('');
  });

  it.each(['reasoning', 'reasoning_content'])('keeps %s and sends it back under that name', async (field) => {
    const { baseUrl, endpoint } = await serve(completion({ content: 'x', [field]: 'I think.' }));
    const client = registry().client(modelConfig({ baseUrl }));
    const { message } = await client.complete(modelRequest(), NEVER);
    expect(message.reasoning).toBe('I think.');
    await client.complete(modelRequest({ messages: [...modelRequest().messages, message] }), NEVER);
    expect(endpoint.seen[1]?.body.messages[2]).toEqual({
      role: 'assistant',
      content: 'x',
      [field]: 'I think.',
    });
  });

  it('keeps token ids and log-probabilities as sampled', async () => {
    const body = completion({ content: 'x' }, { prompt_token_ids: [1, 2, 3] });
    Object.assign(body.choices[0] as object, {
      token_ids: [9, 8],
      logprobs: {
        content: [
          { token: 'a', logprob: -0.5 },
          { token: 'b', logprob: -1.25 },
        ],
      },
    });
    const { baseUrl } = await serve(body);
    expect(await registry().client(modelConfig({ baseUrl })).complete(modelRequest(), NEVER)).toMatchObject({
      promptTokenIds: [1, 2, 3],
      completionTokenIds: [9, 8],
      logprobs: [-0.5, -1.25],
    });
  });
});

describe('a request', () => {
  async function sent(overrides: Parameters<typeof modelRequest>[0]): Promise<SeenRequest> {
    const { baseUrl, endpoint } = await serve(completion({ content: 'x' }));
    await registry().client(modelConfig({ baseUrl })).complete(modelRequest(overrides), NEVER);
    return endpoint.seen[0] as SeenRequest;
  }

  it('carries the key and our call id, and nothing that was left open', async () => {
    const { headers, body, path } = await sent({});
    expect(path).toBe('/v1/chat/completions');
    expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-longrun-call-id': 'call-0001' });
    expect(body).toEqual({
      model: 'test-model',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
    });
  });

  it('carries tools and sampling settings', async () => {
    const tool = { name: 'finish', description: 'Ends.', parameters: { type: 'object', properties: {} } };
    const { body } = await sent({ tools: [tool], temperature: 0, maxTokens: 100, seed: 7 });
    expect(body).toMatchObject({
      tools: [{ type: 'function', function: tool }],
      temperature: 0,
      max_tokens: 100,
      seed: 7,
    });
  });

  it('joins user messages in a row and leaves out empty answers', async () => {
    const empty = { role: 'assistant' as const, content: '', reasoning: null, toolCalls: [] };
    const { body } = await sent({
      messages: [{ role: 'user', content: 'Task' }, empty, { role: 'user', content: 'Call a tool.' }],
    });
    expect(body.messages).toEqual([{ role: 'user', content: 'Task\n\nCall a tool.' }]);
  });
});

describe('the bounds of a call', () => {
  it('cover prompt, schemas and the longest answer', async () => {
    const client = registry().client(
      modelConfig({ model: 'gpt-4o-mini', baseUrl: 'https://models.example/v1' }),
    );
    const text = 'word '.repeat(3_000);
    const bound = client.bound(modelRequest({ messages: [{ role: 'user', content: text }] }));
    expect(bound.promptTokens).toBeGreaterThan(3_000);
    expect(bound.completionTokens).toBe(16_384);
    expect(bound.costUsd).toBeCloseTo((bound.promptTokens * 0.15 + 16_384 * 0.6) / 1e6, 12);
    expect(client.bound(modelRequest({ maxTokens: 10 })).completionTokens).toBe(10);
    expect(client.contextWindow()).toBe(128_000);
  });

  it('are without cost and window where the model is not known', () => {
    const client = registry().client(modelConfig({ baseUrl: 'http://127.0.0.1:9/v1' }));
    expect(client.bound(modelRequest()).costUsd).toBeNull();
    expect(client.contextWindow()).toBeNull();
  });
});
