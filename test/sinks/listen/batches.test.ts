import { expect, test, vi } from 'vitest';
import { groupIds, Listening, listeningRun, marks } from './support/listening.js';

// Each writes hundreds of small files, synced one by one.
vi.setConfig({ testTimeout: 60_000 });

test('a trainer that knows no acknowledgement gets each group once, oldest first, a null after each batch', async () => {
  const serve = await listeningRun({ groupSize: 4, tasks: 2 });
  await serve.closeMany(6);
  const listening = await Listening.start(serve);
  await listening.register(8);
  await listening.queued(6);
  const answers = [];
  for (let i = 0; i < 7; i++) answers.push(await listening.batch());
  expect(answers.map(groupIds)).toEqual([
    ['run/t0/0', 'run/t1/0'],
    [],
    ['run/t0/1', 'run/t1/1'],
    [],
    ['run/t0/2', 'run/t1/2'],
    [],
    [],
  ]);
  expect(answers[1]).toEqual({ batch: null });
  expect(answers.map(({ batch_id }) => batch_id)).toEqual([
    1,
    undefined,
    2,
    undefined,
    3,
    undefined,
    undefined,
  ]);
  expect(marks(answers[2] as (typeof answers)[number])).toEqual([
    { batch: 2, n: 1 },
    { batch: 2, n: 1 },
  ]);
});

test('a trainer that acknowledges gets the next batch at once, and the same one until it has said so', async () => {
  const serve = await listeningRun({ groupSize: 4 });
  await serve.closeMany(4);
  const listening = await Listening.start(serve);
  await listening.register(8);
  await listening.queued(4);
  const first = await listening.batch(0);
  const again = await listening.batch(0);
  const second = await listening.batch(1);
  expect(again.batch_id).toBe(1);
  expect(groupIds(again)).toEqual(groupIds(first));
  expect(marks(again).map(({ n }) => n)).toEqual([2, 2]);
  expect([second.batch_id, groupIds(second), marks(second)[0]]).toEqual([
    2,
    ['run/t0/1', 'run/t1/1'],
    { batch: 2, n: 1 },
  ]);
  expect(await listening.batch(2)).toEqual({ batch: null });
  expect((await listening.request('/batch?ack=9')).status).toBe(422);
  expect((await listening.request('/batch?ack=x')).status).toBe(422);
});

test('the run ends once everything is delivered and acknowledged, and what fills no batch is left', async () => {
  const serve = await listeningRun({ groupSize: 4 });
  await serve.closeMany(3);
  await serve.end();
  const listening = await Listening.start(serve);
  await listening.register(8);
  await listening.queued(3);
  expect((await listening.batch(0)).batch).toHaveLength(2);
  expect(await listening.batch(1)).toEqual({ batch: null });
  expect(await listening.done).toBe('done');
});

test('before a trainer registers, and while nothing is ready, it is told as by the original', async () => {
  const listening = await Listening.start(await listeningRun({ groupSize: 4 }));
  expect(await listening.batch()).toEqual({
    status: 'error',
    message: 'Trainer not registered. Call /register first.',
    batch: [],
  });
  const answer = await listening.register(8);
  expect(await answer.text()).toMatch(/^\{"uuid":\d{30,39}\}$/);
  expect(await listening.batch()).toEqual({ batch: null });
});
