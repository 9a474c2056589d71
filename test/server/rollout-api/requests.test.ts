import { describe, expect, it } from 'vitest';
import { writeSummary } from '../../../src/records/write-summary.js';
import { rolloutApi } from '../../../src/server/rollout-api/index.js';
import { listenSink } from '../../../src/sinks/listen/http/index.js';
import { keys } from '../../../src/store/keys.js';
import { readRun, readTask } from '../../../src/store/runs.js';
import { executorOf } from '../../sinks/support/sink-executor.js';
import { listener, servingStore, threeTasks } from './rollout-api-host.js';

describe('a group that is asked for', () => {
  it('becomes a small run with the settings of the run that serves', async () => {
    const store = await servingStore(await threeTasks(), { maxTurns: 7, estimator: 'rloo' });
    const api = await listener(store);
    const policy = { version: '12', model: 'step-12', base_url: 'http://127.0.0.1:9/other/v1' };
    const asked = await api.post('/v1/rollouts', { id: 'mine', item: 'two', group_size: 3, policy });
    expect(asked.status).toBe(202);
    expect(asked.body).toMatchObject({
      id: 'mine',
      run_id: 'serving.mine',
      status: 'running',
      item: 'two',
      group_size: 3,
      policy,
      ended: 0,
      group: null,
      members: [],
    });
    const run = await readRun(store, 'serving.mine');
    expect(run).toMatchObject({
      mode: 'process',
      environment: { name: 'test' },
      requestedBy: { runId: 'serving', policyVersion: '12' },
      config: { model: 'step-12', groupSize: 3, groups: 1, maxTurns: 7, estimator: 'rloo', serve: null },
    });
    expect((await readTask(store, 'serving.mine', 'two')).inputs.instruction).toBe('Do two.');
    expect(api.cluster.started).toEqual(['serving.mine']);
  });

  it('is the same one for the same id, also after a restart and for two who ask at once', async () => {
    const store = await servingStore(await threeTasks());
    const api = await listener(store);
    const body = { id: 'step-1', group_size: 2 };
    const both = await Promise.all([api.post('/v1/rollouts', body), api.post('/v1/rollouts', body)]);
    const [first, second] = both.map((answer) => answer.body);
    expect(second).toEqual(first);
    await api.stop();
    const again = await listener(store, api.cluster);
    // How long it waits is no part of what it asks for.
    expect((await again.post('/v1/rollouts', { ...body, wait: 0.05 })).body).toEqual(first);
    expect((await again.get('/v1/rollouts/step-1')).body).toEqual(first);
    expect(api.cluster.started).toEqual(['serving.step-1']);
  });

  it('is the same one for the same Idempotency-Key', async () => {
    const api = await listener(await servingStore(await threeTasks()));
    const first = await api.post('/v1/rollouts', { item: 'one' }, { 'idempotency-key': 'form/7' });
    const same = await api.post('/v1/rollouts', { item: 'one' }, { 'idempotency-key': 'form/7' });
    expect(same.body).toEqual(first.body);
    const other = await api.post('/v1/rollouts', { item: 'one' }, { 'idempotency-key': 'form/8' });
    expect(other.body.id).not.toBe(first.body.id);
    expect((await api.post('/v1/rollouts', { id: 'x' }, { 'idempotency-key': 'y' })).body.error.path).toBe(
      'id',
    );
  });

  it('is refused where it could never have enough members with a score', async () => {
    const store = await servingStore(await threeTasks(), { groupPolicy: 'min-valid', minValid: 3 });
    const api = await listener(store);
    const { status, body } = await api.post('/v1/rollouts', { group_size: 2 });
    expect([status, body.error.path]).toEqual([400, 'group_size']);
    expect((await api.post('/v1/rollouts', { group_size: 3 })).status).toBe(202);
  });

  it('refuses another request under its id', async () => {
    const api = await listener(await servingStore(await threeTasks()));
    await api.post('/v1/rollouts', { id: 'mine', item: 'one' });
    const other = await api.post('/v1/rollouts', { id: 'mine', item: 'two' });
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'already_exists' } } });
  });

  it('takes the next item of its consumer where it names none', async () => {
    const api = await listener(await servingStore(await threeTasks()));
    await api.post('/v1/items', { n: 1 });
    const items = [];
    for (let i = 0; i < 3; i++) items.push((await api.post('/v1/rollouts', {})).body.item);
    expect(items).toEqual(['two', 'three', 'one']);
  });

  it('is stamped with the newest version that the trainer told, unless it names a policy of its own', async () => {
    const store = await servingStore(await threeTasks());
    const api = await listener(store);
    await api.policies.tell({ version: '1', source: 'trainer', model: 'lora-1' });
    const first = (await api.post('/v1/rollouts', {})).body;
    await api.policies.tell({ version: '2', source: 'api', model: 'lora-2' });
    const second = (await api.post('/v1/rollouts', {})).body;
    expect([first.policy, second.policy]).toMatchObject([
      { version: '1', model: 'lora-1' },
      { version: '2', model: 'lora-2' },
    ]);
    const own = (await api.post('/v1/rollouts', { policy: { model: 'another' } })).body;
    expect(own.policy).toMatchObject({ version: null, model: 'another' });
    expect((await readRun(store, second.run_id)).requestedBy?.policyVersion).toBe('2');
  });

  it('sends the key of the run to no endpoint that a request names', async () => {
    const store = await servingStore(await threeTasks(), { apiKeyEnv: 'MY_KEY' });
    const api = await listener(store);
    const keyFor = async (policy: unknown) => {
      const { body } = await api.post('/v1/rollouts', { policy });
      return (await readRun(store, body.run_id)).config.apiKeyEnv;
    };
    expect(await keyFor(null)).toBe('MY_KEY');
    expect(await keyFor({ base_url: 'http://127.0.0.1:9/v2' })).toBe('MY_KEY');
    expect(await keyFor({ base_url: 'https://elsewhere.example/v1' })).toBe('none');
  });

  it('gives each group seeds of its own', async () => {
    const store = await servingStore(await threeTasks(), { seed: 1 });
    const api = await listener(store);
    const seedOf = async (body: Record<string, unknown>) => {
      const answer = await api.post('/v1/rollouts', { item: 'one', ...body });
      return (await readRun(store, answer.body.run_id)).config.seed;
    };
    const [first, second] = [await seedOf({}), await seedOf({})];
    expect(first).not.toBe(second);
    expect(await seedOf({ seed: 77 })).toBe(77);
  });

  it('that was recorded and not started is started when somebody asks for it', async () => {
    const store = await servingStore(await threeTasks());
    const api = await listener(store);
    await api.post('/v1/rollouts', { id: 'cut-off', item: 'one' });
    // As a process leaves it that died between its first write and the rest.
    await store.remove('runs/serving.cut-off/');
    const next = await listener(store);
    expect((await next.get('/v1/rollouts/cut-off')).body).toMatchObject({ status: 'running', item: 'one' });
    expect(next.cluster.started).toEqual(['serving.cut-off']);
  });

  it('is recovered where the cluster has lost it in the middle of its work', async () => {
    const store = await servingStore(await threeTasks());
    const api = await listener(store);
    await api.post('/v1/rollouts', { id: 'lost', item: 'one' });
    await store.put(`${keys.rollouts('serving.lost')}/one/0/attempts/1/fences/x.json`, new Uint8Array([1]));
    api.cluster.forget();
    expect((await api.get('/v1/rollouts/lost')).body.status).toBe('running');
    expect(api.cluster.recovered).toEqual(['serving.lost']);
  });

  it('is cancelled with the run that serves while it is open, and left alone when that ends in order', async () => {
    const store = await servingStore(await threeTasks());
    const api = await listener(store);
    const long = 'x'.repeat(60);
    for (const id of ['open', 'over', long]) await api.post('/v1/rollouts', { id });
    await writeSummary(store, 'serving.over', 'finished');
    // Asked for, and cut off before anything of it was there.
    await store.put(keys.request('serving', 'begun'), new TextEncoder().encode('{}'));
    const run = await readRun(store, 'serving');
    const extension = rolloutApi({ runs: api.cluster.runs, environmentOf: () => expect.fail() });
    const { context } = await executorOf(store, run, 'listen');
    const sink = listenSink([extension])(run);
    await sink.close(context, 'finished');
    expect(api.cluster.cancelled).toEqual([]);
    await sink.close(context, 'cancelled');
    expect(api.cluster.cancelled.toSorted()).toEqual(['serving.open', `serving.${long}`]);
  });

  it('is cancelled as often as anybody likes', async () => {
    const api = await listener(await servingStore(await threeTasks()));
    await api.post('/v1/rollouts', { id: 'mine' });
    for (let i = 0; i < 2; i++) expect((await api.delete('/v1/rollouts/mine?wait=0')).status).toBe(202);
    expect(api.cluster.cancelled).toEqual(['serving.mine', 'serving.mine']);
  });
});
