import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { LongrunError } from '../../src/core/errors.js';
import { ModelRegistry } from '../../src/model/registry.js';
import { ENV, KEY, modelConfig, modelRequest, NEVER, rejection } from './fixtures.js';
import { completion, LocalEndpoint, reply } from './local-endpoint.js';

const NOW = Date.UTC(2030, 0, 1);
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function failing(answer: (response: ServerResponse) => void, timeoutMs = 20_000, signal = NEVER) {
  const endpoint = new LocalEndpoint((_request, response) => answer(response));
  const models = new ModelRegistry({ scripts: [], env: ENV, now: () => NOW });
  open.push(endpoint, models);
  const client = models.client(modelConfig({ baseUrl: await endpoint.listen() }));
  const error = await rejection(client.complete(modelRequest({ timeoutMs }), signal));
  expect(LongrunError.is(error)).toBe(true);
  return { error: error as LongrunError, calls: endpoint.seen.length };
}

const said = (message: string, code: string | null = null) => ({
  error: { message, type: 'some_type', code },
});

describe('a rate limit', () => {
  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '1234', 'retry-after': '2' }, 1_234],
    [{}, null],
    // What no endpoint can mean must not hold up every run that calls it.
    [{ 'retry-after': '86400' }, 3_600_000],
    [{ 'retry-after': '9'.repeat(400) }, 3_600_000],
    [{ 'retry-after-ms': '9'.repeat(30) }, 3_600_000],
    [{ 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }, 3_600_000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
    [{ 'retry-after': '-5' }, null],
    [{ 'retry-after': 'NaN' }, null],
    [{ 'retry-after': '1e308' }, null],
    [{ 'retry-after': '2999' }, 2_999_000],
    [{ 'retry-after': '2999-12' }, null],
  ])('with %j asks for that wait', async (headers, retryAfterMs) => {
    const { error, calls } = await failing((response) =>
      reply(response, 429, said('Slow down'), headers as Record<string, string>),
    );
    expect(error).toMatchObject({ code: 'model_rate_limited', retryable: true, details: { retryAfterMs } });
    expect(error.message).toContain('Slow down');
    expect(calls).toBe(1);
  });

  it('with a date asks for the time until then', async () => {
    const date = new Date(NOW + 90_000).toUTCString();
    const { error } = await failing((response) =>
      reply(response, 429, said('later'), { 'retry-after': date }),
    );
    expect(error.details.retryAfterMs).toBe(90_000);
  });

  it('that is an empty account is not worth waiting for', async () => {
    const { error } = await failing((response) =>
      reply(response, 429, said('You exceeded your current quota', 'insufficient_quota')),
    );
    expect(error).toMatchObject({ code: 'model_rejected', retryable: false });
  });
});

describe('an endpoint that fails', () => {
  it.each([500, 502, 503, 529, 408])('with %i may be asked again, once per call', async (status) => {
    const { error, calls } = await failing((response) => reply(response, status, said('overloaded')));
    expect(error).toMatchObject({ code: 'model_unavailable', retryable: true, details: { status } });
    expect(calls).toBe(1);
  });

  it('by saying nothing is given up on in time', async () => {
    const { error } = await failing(() => {}, 150);
    expect(error).toMatchObject({ code: 'model_unavailable', retryable: true });
    expect(error.message).toContain('no answer within 0.15 s');
  });

  it('by stopping in the middle of its answer is given up on in time', async () => {
    const { error } = await failing((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"id": "chat');
    }, 300);
    expect(error.message).toContain('no answer within 0.3 s');
  });

  it.each([
    [
      'cutting the connection in its answer',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
        response.write('{"id": "chat', () => response.destroy());
      },
    ],
    [
      'ending its answer early',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"id": "chat');
      },
    ],
    ['answering without a choice', (response: ServerResponse) => reply(response, 200, { choices: [] })],
    [
      'answering with a page',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hello</html>');
      },
    ],
    ['hanging up', (response: ServerResponse) => response.destroy()],
  ])('by %s may be asked again', async (_what, answer) => {
    const { error } = await failing(answer);
    expect(error).toMatchObject({ code: 'model_unavailable', retryable: true });
    expect(error.details.usage).toEqual({ promptTokens: 0, cachedTokens: 0, completionTokens: 0 });
  });

  it('with an error inside an answer counts as the status it names', async () => {
    const { error } = await failing((response) =>
      reply(response, 200, { error: { message: 'Provider is busy', code: 429 } }, { 'retry-after': '3' }),
    );
    expect(error).toMatchObject({ code: 'model_rate_limited', details: { retryAfterMs: 3_000 } });
  });

  it('that is not there is named with its address', async () => {
    const endpoint = new LocalEndpoint(() => {});
    const baseUrl = await endpoint.listen();
    await endpoint.close();
    const models = new ModelRegistry({ scripts: [], env: ENV });
    open.push(models);
    const error = await rejection(models.client(modelConfig({ baseUrl })).complete(modelRequest(), NEVER));
    expect(error).toMatchObject({ code: 'model_unavailable', retryable: true });
    expect(error.message).toContain(baseUrl);
    expect(error.message).toContain('ECONNREFUSED');
  });
});

describe('a refusal', () => {
  it.each([
    [400, "This model's maximum context length is 4096 tokens. However, you requested 9000.", null],
    [400, 'Too long', 'context_length_exceeded'],
    [400, 'prompt is too long: 210000 tokens > 200000 maximum', null],
    [400, 'the request exceeds the available context size', 'exceed_context_size_error'],
    [413, 'Input is too long for requested model.', null],
  ])('%i "%s" is a conversation that outgrew its window', async (status, message, code) => {
    const { error } = await failing((response) => reply(response, status, said(message, code)));
    expect(error).toMatchObject({ code: 'model_context_overflow', retryable: false });
  });

  it.each([401, 403])('%i points to the key without showing it', async (status) => {
    const { error } = await failing((response) => reply(response, status, said(`Incorrect API key: ${KEY}`)));
    expect(error).toMatchObject({ code: 'model_rejected', retryable: false, details: { status } });
    expect(error.hint).toContain('--api-key-env');
    expect(inspect(error, { depth: 10 })).not.toContain(KEY);
    expect(JSON.stringify(error)).not.toContain(KEY);
  });

  it('of an unknown model says so in the words of the provider', async () => {
    const { error } = await failing((response) =>
      reply(response, 404, said('The model `test-model` does not exist', 'model_not_found')),
    );
    expect(error).toMatchObject({ code: 'model_unknown', exitCode: 2, retryable: false });
    expect(error.message).toContain('The model `test-model` does not exist');
  });

  it('of the path points to the base URL', async () => {
    const { error } = await failing((response) => response.writeHead(404).end('404 page not found'));
    expect(error).toMatchObject({ code: 'model_rejected', retryable: false });
    expect(error.hint).toContain('--base-url');
  });

  it('of any other kind ends the rollout with the words of the provider', async () => {
    const { error } = await failing((response) => reply(response, 400, said("'temperature' must be 1")));
    expect(error).toMatchObject({ code: 'model_rejected', retryable: false, details: { status: 400 } });
    expect(error.message).toContain("'temperature' must be 1");
  });
});

describe('a cancelled call', () => {
  it('ends as cancelled and not as a failure of the endpoint', async () => {
    const controller = new AbortController();
    const { error } = await failing(() => controller.abort(), 20_000, controller.signal);
    expect(error.code).toBe('cancelled');
  });
});

describe('the key', () => {
  it('is in no answer that was kept', async () => {
    const endpoint = new LocalEndpoint((_request, response) =>
      reply(response, 200, completion({ content: 'x' })),
    );
    const models = new ModelRegistry({ scripts: [], env: ENV });
    open.push(endpoint, models);
    const client = models.client(modelConfig({ baseUrl: await endpoint.listen() }));
    expect(JSON.stringify(await client.complete(modelRequest(), NEVER))).not.toContain(KEY);
  });
});
