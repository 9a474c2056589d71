import { afterEach, describe, expect, it } from 'vitest';
import { checkModel } from '../../src/model/check-model.js';
import { ENV, KEY, modelConfig, rejection } from './fixtures.js';
import { LocalEndpoint, reply } from './local-endpoint.js';

const open: LocalEndpoint[] = [];
afterEach(async () => {
  for (const endpoint of open.splice(0)) await endpoint.close();
});

async function serve(status: number, body: unknown) {
  const endpoint = new LocalEndpoint((_request, response) => reply(response, status, body));
  open.push(endpoint);
  return { endpoint, baseUrl: await endpoint.listen() };
}
const models = (...ids: string[]) => ({ object: 'list', data: ids.map((id) => ({ id })) });

describe('before a run', () => {
  it('a model that the endpoint lists is accepted without paying for a call', async () => {
    const { baseUrl, endpoint } = await serve(200, models('other', 'test-model'));
    await checkModel(modelConfig({ baseUrl }), ENV);
    expect(endpoint.seen).toHaveLength(1);
    expect(endpoint.seen[0]).toMatchObject({ method: 'GET', path: '/v1/models' });
    expect(endpoint.seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it.each([
    [404, { error: 'no such route' }],
    [200, models()],
    [200, models('openai/*')],
    [200, 'not a list'],
  ])('an endpoint that keeps no list (%i %j) is no objection', async (status, body) => {
    const { baseUrl } = await serve(status, body);
    await checkModel(modelConfig({ baseUrl }), ENV);
  });

  it('an unknown model is refused with the nearest name', async () => {
    const { baseUrl } = await serve(200, models('llama-70b', 'test-model-2'));
    const error = await rejection(checkModel(modelConfig({ baseUrl }), ENV));
    expect(error).toMatchObject({ code: 'model_unknown', exitCode: 2, hint: 'Did you mean test-model-2?' });
    expect(error.message).toBe(`${baseUrl} serves no model "test-model"`);
  });

  it('an unknown scripted model is refused, naming those there are', async () => {
    const error = await rejection(checkModel(modelConfig({ model: 'scripted/dmeo' }), {}));
    expect(error).toMatchObject({ code: 'model_unknown', exitCode: 2 });
    expect(error.hint).toContain('scripted/demo');
  });

  it('a missing model is refused', async () => {
    const error = await rejection(checkModel(modelConfig({ model: null }), ENV));
    expect(error).toMatchObject({ code: 'bad_input', exitCode: 2 });
    expect(error.hint).toContain('--model');
  });

  it.each([{}, { TEST_KEY: '' }])('a missing key is named, unless none is needed', async (env) => {
    const baseUrl = 'https://models.example/v1';
    const error = await rejection(checkModel(modelConfig({ baseUrl }), env));
    expect(error).toMatchObject({ code: 'model_key_missing', exitCode: 2 });
    expect(error.message).toBe('TEST_KEY is not set, and https://models.example/v1 needs an API key');
    const local = await serve(200, models('test-model'));
    await checkModel(modelConfig({ baseUrl: local.baseUrl }), env);
    expect(local.endpoint.seen[0]?.headers.authorization).toBeUndefined();
  });

  it('a refused key is named', async () => {
    const { baseUrl } = await serve(401, { error: { message: `bad key ${KEY}` } });
    const error = await rejection(checkModel(modelConfig({ baseUrl }), ENV));
    expect(error).toMatchObject({ code: 'model_rejected', retryable: false });
    expect(error.message).toContain('the API key was refused');
    expect(error.message).not.toContain(KEY);
  });

  it('an endpoint that nobody answers at is named', async () => {
    const { baseUrl, endpoint } = await serve(200, {});
    await endpoint.close();
    open.length = 0;
    const error = await rejection(checkModel(modelConfig({ baseUrl }), ENV));
    expect(error).toMatchObject({ code: 'model_unavailable' });
    expect(error.message).toContain(`${baseUrl}: cannot be reached`);
    expect(error.hint).toContain('--base-url');
  });
});
