import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkModel } from '../../src/model/index.js';
import { ownTokenizerFiles } from '../../src/model/policy-server/index.js';
import { type ModelConfig, ModelRegistry } from '../../src/model/registry.js';
import { Connection as AtroposConnection } from '../../src/sinks/atropos/connection.js';
import { Receiver } from '../../src/sinks/upload/receiver.js';
import { ClassifierScorer } from '../../src/trajectories/score/classifier-scorer.js';
import { episodeOf } from '../core/reward/episode-of.js';
import { threat } from '../support/threat.js';
import { items, outcomesOf } from '../trajectories/score/support.js';
import { ENV, KEY, modelConfig, modelRequest, NEVER, rejection } from './fixtures.js';
import { completion, LocalEndpoint, reply } from './local-endpoint.js';

/** What names resolve to here, each time they are asked for. */
const addresses = vi.hoisted(() => new Map<string, string[]>());
vi.mock('node:dns/promises', async (original) => ({
  ...(await original<object>()),
  lookup: async (host: string) => {
    const [next = '', ...later] = addresses.get(host) ?? [];
    if (later.length > 0) addresses.set(host, later);
    return [{ address: next, family: 4 }];
  },
}));

let tokenizer: string;
beforeAll(async () => {
  tokenizer = await mkdtemp(join(tmpdir(), 'longrun-tokenizer-'));
  const { tokenizer: text, config, template } = ownTokenizerFiles();
  await writeFile(join(tokenizer, 'tokenizer.json'), text);
  await writeFile(join(tokenizer, 'tokenizer_config.json'), JSON.stringify(config));
  await writeFile(join(tokenizer, 'chat_template.jinja'), template as string);
});
afterAll(() => rm(tokenizer, { recursive: true }));

async function serving(...of: ConstructorParameters<typeof LocalEndpoint>) {
  const endpoint = new LocalEndpoint(...of);
  const baseUrl = await endpoint.listen();
  onTestFinished(() => endpoint.close());
  return { endpoint, baseUrl };
}

/** An endpoint that sends everybody on to another one. */
async function redirecting(status: number) {
  const target = await serving((_, response) => reply(response, 200, completion({ content: 'Hi.' })));
  const { baseUrl } = await serving((_, response) =>
    reply(response, status, { error: 'moved' }, { location: `${target.baseUrl}/elsewhere?a=b` }),
  );
  return { baseUrl, target: target.endpoint, origin: new URL(target.baseUrl).origin };
}

function call(config: Partial<ModelConfig>, env = ENV) {
  const models = new ModelRegistry({ scripts: [], env });
  onTestFinished(() => models.close());
  return models.client(modelConfig(config)).complete(modelRequest(), NEVER);
}

const STATUSES = [301, 302, 303, 307, 308];

describe(threat('a model endpoint', 'keys and prompts, by sending calls to another address'), () => {
  it.each(STATUSES)(
    'a redirect of a model call (%i) is not followed, and its target is named',
    async (status) => {
      const { baseUrl, target, origin } = await redirecting(status);
      const error = await rejection(call({ baseUrl }));
      expect(error).toMatchObject({ code: 'model_rejected', retryable: false, details: { status } });
      expect(error.message).toContain(`redirects to ${origin} (${status})`);
      expect(error.message).not.toContain('elsewhere');
      expect(target.seen).toEqual([]);
    },
  );

  it.each(['vllm', 'sglang', 'tinker'] as const)('nor one of prompts sent as ids to %s', async (tokenApi) => {
    const { baseUrl, target } = await redirecting(307);
    const error = await rejection(call({ baseUrl, tokenApi, tokenizer }));
    expect(error).toMatchObject({ code: 'model_rejected', retryable: false });
    expect(target.seen).toEqual([]);
  });

  it('nor one of the question which models there are, before a run starts', async () => {
    const { baseUrl, target } = await redirecting(302);
    expect(await rejection(checkModel(modelConfig({ baseUrl }), ENV))).toMatchObject({
      code: 'model_rejected',
    });
    expect(target.seen).toEqual([]);
  });

  it('nor one of a reward model', async () => {
    const { baseUrl, target, origin } = await redirecting(307);
    const scorer = new ClassifierScorer({
      ...{ endpoint: { baseUrl, apiKey: KEY, loopback: true }, env: {}, batch: 1, concurrency: 1 },
      ...{ timeoutMs: 5_000, now: Date.now },
    });
    const [outcome] = [...(await outcomesOf(scorer, items([episodeOf([{}])]))).values()];
    expect(outcome).toMatchObject({
      error: { code: 'model_rejected', message: expect.stringContaining(origin) },
    });
    expect(target.seen).toEqual([]);
  });

  it('nor one of an upload', async () => {
    const { baseUrl, target, origin } = await redirecting(308);
    const receiver = await Receiver.open({
      endpoint: baseUrl,
      apiKey: KEY,
      gzip: false,
      env: {},
      now: Date.now,
    });
    onTestFinished(() => receiver.close());
    const answer = await receiver.post([{ key: 'a', sessionId: 'a', line: '{}', bytes: 3 }]);
    expect(answer).toMatchObject({ kind: 'refused', status: 308 });
    expect(JSON.stringify(answer)).toContain(origin);
    expect(target.seen).toEqual([]);
  });

  it('nor one of groups that an Atropos server is given', async () => {
    const { baseUrl, target } = await redirecting(307);
    const connection = new AtroposConnection(new URL(baseUrl));
    onTestFinished(() => connection.close());
    const answer = await connection.ask('POST', '/scored_data', {
      body: { tokens: [[1]] },
      timeoutMs: 5_000,
    });
    expect(answer.status).toBe(307);
    expect(target.seen).toEqual([]);
  });

  it('what the SDK reads of an account at OpenAI is sent to no other endpoint', async () => {
    const own = { OPENAI_ORG_ID: 'org-canary', OPENAI_PROJECT_ID: 'proj-canary' };
    const headers = 'Authorization: Bearer canary-one\nX-Gateway-Key: canary-two';
    for (const [name, value] of Object.entries({ ...own, OPENAI_CUSTOM_HEADERS: headers }))
      vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { endpoint, baseUrl } = await serving((_, response) =>
      reply(response, 200, completion({ content: 'Hi.' })),
    );
    await call({ baseUrl });
    expect(JSON.stringify(endpoint.seen[0]?.headers)).not.toContain('canary');
    expect(endpoint.seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });
});

describe(
  threat('whoever names an endpoint', 'the metadata service of the cloud and link-local addresses'),
  () => {
    it.each(['http://169.254.169.254/v1', 'http://0xa9fea9fe/v1', 'http://[::ffff:169.254.169.254]/v1'])(
      'the settings of a run cannot name %s, with a proxy or without',
      async (baseUrl) => {
        for (const env of [ENV, { ...ENV, HTTP_PROXY: 'http://127.0.0.1:9' }]) {
          const error = await rejection(checkModel(modelConfig({ baseUrl }), env));
          expect(error).toMatchObject({ code: 'model_rejected', retryable: false, exitCode: 2 });
          expect(error.message).toContain('metadata');
          expect(await rejection(call({ baseUrl }, env))).toMatchObject({ code: 'model_rejected' });
        }
      },
    );

    it('a name that resolves there is not connected to', async () => {
      for (const address of [
        '169.254.169.254',
        '100.100.100.200',
        '::ffff:169.254.169.254',
        'fe80::1%eth0',
      ]) {
        addresses.set('model.test', [address]);
        const error = await rejection(call({ baseUrl: 'http://model.test/v1' }));
        expect(error).toMatchObject({ code: 'model_rejected', retryable: false });
        expect(error.message).toContain(`model.test (${address})`);
      }
    });

    it('nor when it resolves there only later on', async () => {
      const { endpoint, baseUrl } = await serving((_, response) =>
        reply(response, 200, completion({ content: 'Hi.' }), { connection: 'close' }),
      );
      const { port } = new URL(baseUrl);
      addresses.set('model.test', ['127.0.0.1', '169.254.169.254']);
      const named = { baseUrl: `http://model.test:${port}/v1` };
      const models = new ModelRegistry({ scripts: [], env: ENV });
      onTestFinished(() => models.close());
      const client = models.client(modelConfig(named));
      expect(await client.complete(modelRequest(), NEVER)).toMatchObject({ message: { content: 'Hi.' } });
      expect(await rejection(client.complete(modelRequest(), NEVER))).toMatchObject({
        code: 'model_rejected',
      });
      expect(endpoint.seen).toHaveLength(1);
    });
  },
);
