import { describe, expect, it } from 'vitest';
import { answerTest, inlineTask } from '../../support/inline-task.js';
import { listener, servingStore, threeTasks } from './rollout-api-host.js';

const ids = (items: { item: string }[]) => items.map(({ item }) => item);

describe('items', () => {
  it('come in the order of the tasks, in turn, each with the prompt and the tools of the agent', async () => {
    const api = await listener(await servingStore(await threeTasks()));
    const first = await api.post('/v1/items', { n: 2 });
    expect(first).toMatchObject({ status: 200, body: { environment: 'test', next_cursor: 2 } });
    expect(ids(first.body.items)).toEqual(['one', 'two']);
    const [item] = first.body.items;
    expect(item).toMatchObject({
      position: 0,
      epoch: 0,
      prompt: 'Do one.',
      metadata: { category: 'tests', steps: 1, agent_timeout_ms: 60_000, network: 'none', workdir: '/app' },
    });
    expect(item.messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'user']);
    expect(item.messages[1].content).toBe('Do one.');
    expect(item.tools[0]).toMatchObject({ type: 'function', function: { name: 'terminal' } });
    const next = await api.post('/v1/items', { n: 3 });
    expect(next.body.items).toMatchObject([
      { item: 'three', epoch: 0 },
      { item: 'one', epoch: 1 },
      { item: 'two', epoch: 1 },
    ]);
  });

  it('go on where they stood after a restart, for each consumer on its own', async () => {
    const store = await servingStore(await threeTasks());
    const before = await listener(store);
    expect(ids((await before.post('/v1/items', { n: 2 })).body.items)).toEqual(['one', 'two']);
    await before.stop();
    const after = await listener(store);
    expect(ids((await after.post('/v1/items', { n: 1 })).body.items)).toEqual(['three']);
    const other = await after.post('/v1/items', { n: 1, consumer: 'trainer-2' });
    expect(ids(other.body.items)).toEqual(['one']);
  });

  it('are never handed out twice, whoever asks at once', async () => {
    const store = await servingStore(await threeTasks());
    const apis = [await listener(store), await listener(store)];
    const asked = Array.from({ length: 12 }, (_, i) => apis[i % 2]?.post('/v1/items', { n: 2 }));
    const answers = await Promise.all(asked);
    const positions = answers.flatMap((answer) =>
      answer?.body.items.map(({ position }: { position: number }) => position),
    );
    expect(positions.sort((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, i) => i));
  });

  it('are read from a cursor that the consumer holds itself, and nothing is remembered', async () => {
    const api = await listener(await servingStore(await threeTasks()));
    const read = await api.post('/v1/items', { n: 2, cursor: 4 });
    expect(read.body).toMatchObject({ next_cursor: 6, items: [{ position: 4 }, { position: 5 }] });
    expect((await api.post('/v1/items', {})).body.items).toMatchObject([{ position: 0 }]);
  });

  it('tell neither solutions nor tests nor values of variables nor the own fields of a row', async () => {
    const secret = 'hunter2-of-the-task';
    const loaded = await inlineTask({
      taskId: 'one',
      test: answerTest(secret),
      solution: `echo ${secret} > /app/answer`,
      sandbox: { env: { TOKEN: secret } },
      verifier: { env: { KEY: secret } },
    });
    const own = {
      ...loaded,
      task: { ...loaded.task, metadata: { ...loaded.task.metadata, own: { answer: secret } } },
    };
    const api = await listener(await servingStore([own]));
    const { status, body } = await api.post('/v1/items', {});
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(JSON.stringify(body)).not.toContain('/logs/verifier');
  });
});

describe('environments', () => {
  it("are the run's own and the built-in ones, with their tasks and tools", async () => {
    const api = await listener(await servingStore(await threeTasks()));
    const { environments } = (await api.get('/v1/environments')).body;
    expect(environments.map(({ name, own }: { name: string; own: boolean }) => [name, own])).toEqual([
      ['test', true],
      ['tblite', false],
    ]);
    expect(environments[0]).toMatchObject({ tasks: ['one', 'two', 'three'], pass_threshold: 1 });
    expect(environments[0].tools).toContain('terminal');
    expect(environments[1].tasks).toContain('csv-statistics');
    const items = await api.post('/v1/items', { environment: 'tblite' });
    expect(items.body.items).toMatchObject([{ environment: 'tblite', item: 'account-audit' }]);
  });

  it.each(['/etc', '../serving', 'tblit', 'constructor'])(
    'are no folders of the host: %s',
    async (environment) => {
      const api = await listener(await servingStore(await threeTasks()));
      for (const path of ['/v1/items', '/v1/rollouts']) {
        const { status, body } = await api.post(path, { environment });
        expect(status).toBe(400);
        expect(body.error).toMatchObject({
          code: 'bad_input',
          path: 'environment',
          accepted: 'test, tblite',
        });
        expect(body.error.message).toContain(environment);
      }
      if (environment === 'tblit')
        expect((await api.post('/v1/items', { environment })).body.error.message).toContain(
          'did you mean tblite?',
        );
    },
  );
});
