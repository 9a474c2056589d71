import { describe, expect, test, vi } from 'vitest';
import { readSinkStatus } from '../../../src/sinks/sink-status.js';
import { threat } from '../../support/threat.js';
import { until } from '../../support/until.js';
import { groupIds, Listening, listeningRun, posted } from './support/listening.js';

vi.setConfig({ testTimeout: 60_000 });

test('a group that teaches nothing is left out with the reason, and a rollout of two sequences makes two items', async () => {
  const serve = await listeningRun({ groupSize: 2 });
  await serve.close({ rewards: [1, 1] });
  await serve.close({ broken: true });
  await serve.end();
  const listening = await Listening.start(serve);
  await listening.register(4);
  await listening.queued(2);
  const answer = await listening.batch(0);
  expect(groupIds(answer)).toEqual(['run/t1/0', 'run/t1/0']);
  expect(answer.batch?.map(({ group_overrides: { item }, scores }) => [item, scores])).toEqual([
    [0, [1, 0]],
    [1, [1, 0]],
  ]);
  await listening.batch(1);
  expect(await listening.done).toBe('done');
  expect(listening.executor.settled).toEqual({ delivered: 1, skipped: 1, parked: 0 });
});

test('as much may be started as the queue has room for, and no more batches ahead than are asked for', async () => {
  const serve = await listeningRun({ groupSize: 4, serve: { maxQueue: 10, maxBatchesOffpolicy: 2 } });
  const listening = await Listening.start(serve);
  await until(() => listening.executor.limit === 10);
  await listening.register(8);
  await until(() => listening.executor.limit === 4);
  await serve.closeMany(3);
  await listening.queued(3);
  expect((await listening.batch(0)).batch).toHaveLength(2);
  // Three are closed, one of them waits.
  await until(() => listening.executor.limit === 6);
});

test('the steps that the trainer has finished are the versions of the policy, until it says them itself', async () => {
  const serve = await listeningRun({ groupSize: 4 });
  await serve.closeMany(6);
  const listening = await Listening.start(serve);
  await listening.register(8, { starting_step: 5 });
  await listening.queued(6);
  const version = async () => (await serve.policies.latest())?.version;
  await until(async () => (await version()) === '5');
  await listening.batch(0);
  await listening.batch(1);
  await until(async () => (await version()) === '6');
  const told = { version: 'mine', model: 'm', base_url: 'http://127.0.0.1:1/v1' };
  expect(await listening.post('/v1/policy', told)).toEqual(told);
  await listening.batch(2);
  await listening.stop();
  expect(await serve.policies.latest()).toMatchObject({ version: 'mine', source: 'api', model: 'm' });
  expect((await Listening.start(serve).then((again) => again.send('/v1/policy', {}))).status).toBe(422);
});

test('a rollout that becomes too old in the queue is masked when it is handed out, and keeps its score', async () => {
  const serve = await listeningRun({ groupSize: 2, serve: { maxLag: 1 } });
  for (const version of ['0', '1']) await serve.policies.tell({ version, source: 'trainer' });
  await serve.close({ member: (m) => ({ policyVersion: String(m) }) });
  const listening = await Listening.start(serve);
  await listening.queued(1);
  await serve.policies.tell({ version: '2', source: 'trainer' });
  await listening.register(2, { starting_step: 2 });
  const [item] = (await listening.batch(0)).batch ?? [];
  expect(item?.scores).toEqual([1, 0]);
  expect(item?.overrides).toMatchObject([{ lag: 2, stale: true, set_advantage_to_zero: true }, { lag: 1 }]);
  expect(item?.masks[0]?.every((label) => label === -100)).toBe(true);
  expect(item?.inference_logprobs?.[0]?.every((value) => value === 1)).toBe(true);
  expect(item?.masks[1]?.some((label) => label !== -100)).toBe(true);
});

test('once the trainer has its steps, nothing more is started', async () => {
  const serve = await listeningRun({ groupSize: 4 });
  await serve.closeMany(4);
  const listening = await Listening.start(serve);
  await listening.register(8, { num_steps: 2 });
  await listening.queued(4);
  await listening.batch(0);
  expect(listening.executor.finished).toBe(false);
  await listening.batch(1);
  await until(() => listening.executor.finished);
});

test('a trainer whose batches are no whole groups of the run is refused in words', async () => {
  const listening = await Listening.start(await listeningRun({ groupSize: 8 }));
  const answer = await listening.register(12);
  expect(answer.status).toBe(422);
  expect(await answer.text()).toContain('those of this run have 8');
});

test('a reset forgets the trainer and drops what was queued', async () => {
  const listening = await Listening.start(await listeningRun({ groupSize: 2 }));
  await listening.register(4);
  await listening.send('/scored_data', posted(2, 1));
  expect(await (await listening.request('/reset_data')).text()).toBe('Reset successful');
  expect(await listening.get('/info')).toEqual({ batch_size: -1, max_token_len: -1 });
  await listening.register(2);
  expect(await listening.batch(0)).toEqual({ batch: null });
  expect(await listening.post('/scored_data', posted(2, 1))).toEqual({ status: 'received' });
  expect((await listening.batch(0)).batch).toHaveLength(1);
});

test('what people see of the sink says where it listens and what became of the groups', async () => {
  const serve = await listeningRun({ groupSize: 4 });
  await serve.closeMany(4);
  const listening = await Listening.start(serve);
  await listening.register(8);
  await listening.queued(4);
  await listening.batch(0);
  await listening.batch(1);
  await listening.stop();
  await listening.executor.close();
  expect(await readSinkStatus(serve.store, serve.run, 'listen')).toMatchObject({
    queued: 0,
    delivered: 4,
    counts: { batches_handed_out: 2, batches_acknowledged: 1, items_acknowledged: 2, items_repeated: 0 },
    note: `listens on ${listening.url}`,
  });
});

describe(threat('a client of the HTTP API', 'other services of the network, by model calls'), () => {
  test('POST /v1/policy takes no endpoint at an origin that the run was not started with', async () => {
    const serve = await listeningRun({
      groupSize: 2,
      serve: { policyOrigins: ['http://127.0.0.1:1', 'http://169.254.169.254'] },
    });
    const listening = await Listening.start(serve);
    for (const base_url of [
      'http://127.0.0.1:2375/v1',
      'http://169.254.169.254/latest',
      'http://2852039166/v1',
    ]) {
      const answer = await listening.send('/v1/policy', { version: '1', base_url });
      expect(answer.status).toBe(422);
      expect(await answer.text()).toMatch(/accepted is an address at \S+ or http:\/\/127.0.0.1:1 or/);
    }
    expect(await serve.policies.latest()).toBeNull();
    const taken = { version: '1', model: null, base_url: 'http://127.0.0.1:1/v1' };
    expect(await listening.post('/v1/policy', taken)).toEqual(taken);
    await listening.stop();
  });
});
