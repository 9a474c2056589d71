import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import { readRepeats } from '../../../src/sinks/listen/index.js';
import { until } from '../../support/until.js';
import { type Batch, groupIds, Listening, listeningRun, marks, posted } from './support/listening.js';

// Each writes hundreds of small files, synced one by one.
vi.setConfig({ testTimeout: 60_000 });

const twoBatches = async () => {
  const serve = await listeningRun({ groupSize: 4 });
  await serve.closeMany(4);
  return serve;
};

test('a listener that restarts hands the unacknowledged batch out again, marked and listed, and loses none', async () => {
  const serve = await twoBatches();
  const before = await Listening.start(serve);
  await before.register(8);
  await before.queued(4);
  const first = await before.batch();
  await before.stop();

  const after = await Listening.start(serve);
  const again = await after.batch();
  expect(groupIds(again)).toEqual(groupIds(first));
  expect(marks(again)).toEqual([
    { batch: 1, n: 2 },
    { batch: 1, n: 2 },
  ]);
  expect((await after.batch()).batch).toBeNull();
  expect(groupIds(await after.batch())).toEqual(['run/t0/1', 'run/t1/1']);
  const repeats = await readRepeats(serve.store, 'run');
  expect(repeats).toMatchObject([{ batch: 1, n: 2, groups: ['run/t0/0', 'run/t1/0'] }]);
  expect(await after.get('/v1/repeats')).toMatchObject({ repeats: [{ batch: 1, n: 2 }] });
  // What was queued before is not queued again.
  expect(await after.get('/status')).toEqual({ current_step: 2, queue_size: 0 });
});

test('a trainer that acknowledges gets nothing twice from a listener that restarts', async () => {
  const serve = await twoBatches();
  const before = await Listening.start(serve);
  await before.register(8);
  await before.queued(4);
  const first = await before.batch(0);
  await before.stop();
  const after = await Listening.start(serve);
  const second = await after.batch(1);
  expect([...groupIds(first), ...groupIds(second)]).toEqual(['run/t0/0', 'run/t1/0', 'run/t0/1', 'run/t1/1']);
  expect(marks(second).map(({ n }) => n)).toEqual([1, 1]);
  expect(await readRepeats(serve.store, 'run')).toEqual([]);
});

test('a trainer that registers anew gets the batch once more that it had not acknowledged', async () => {
  const serve = await twoBatches();
  const listening = await Listening.start(serve);
  await listening.register(8);
  await listening.queued(4);
  const first = await listening.batch();
  expect((await listening.batch()).batch).toBeNull();
  await listening.register(8);
  const again = await listening.batch();
  expect([groupIds(again), marks(again)[0]]).toEqual([groupIds(first), { batch: 1, n: 2 }]);
});

test('with another batch size the unacknowledged groups are batched anew, first of all', async () => {
  const serve = await twoBatches();
  const listening = await Listening.start(serve);
  await listening.register(8);
  await listening.queued(4);
  await listening.batch();
  await listening.register(12);
  const wider = await listening.batch();
  expect(groupIds(wider)).toEqual(['run/t0/0', 'run/t1/0', 'run/t0/1']);
  expect(marks(wider)).toEqual([
    { batch: 2, n: 2 },
    { batch: 2, n: 2 },
    { batch: 2, n: 1 },
  ]);
  expect(await readRepeats(serve.store, 'run')).toMatchObject([
    { batch: 2, n: 2, groups: ['run/t0/0', 'run/t1/0'] },
  ]);
});

test('a response that was cut on its way is handed out again, marked', async () => {
  const serve = await listeningRun({ groupSize: 4 });
  const listening = await Listening.start(serve);
  await listening.register(8);
  const wide = (first: number) => {
    const row = Array.from({ length: 150_000 }, (_, i) => (i === 0 ? first : 100_000 + i));
    return posted(4, first, {
      tokens: Array(4).fill(row),
      masks: Array(4).fill(row),
      inference_logprobs: null,
    });
  };
  for (const first of [1, 2]) expect((await listening.send('/scored_data', wide(first))).status).toBe(200);
  await cutAnswer(listening.url);
  const answers: Batch[] = [];
  await until(async () => {
    answers.push(await listening.batch());
    return answers.at(-1)?.batch != null;
  });
  expect(marks(answers.at(-1) as Batch)[0]).toEqual({ batch: 1, n: 2 });
  expect((await listening.batch()).batch).toBeNull();
});

test('two listeners on one store never hand out the same batch twice without a mark', async () => {
  const serve = await listeningRun({ groupSize: 4 });
  await serve.closeMany(12);
  const one = await Listening.start(serve);
  await one.register(4);
  await one.queued(12);
  // As an executor whose successor has begun, and which has not noticed.
  const other = await Listening.start(serve);
  one.executor.context.checkFence = async () => undefined;
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? one : other).batch().catch(() => ({ batch: null }))),
  );
  const seen = new Set<string>();
  for (const answer of answers)
    for (const { group_overrides } of answer.batch ?? []) {
      const { group_id, delivery } = group_overrides;
      const key = `${group_id} ${delivery.batch} ${delivery.n}`;
      expect(seen.has(key)).toBe(false);
      seen.add(key);
    }
  expect(seen.size).toBeGreaterThan(0);
});

/** Reads the beginning of a batch and drops the connection. */
function cutAnswer(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((done, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write('GET /batch HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    );
    socket.once('data', () => socket.destroy());
    socket.once('error', reject);
    socket.once('close', () => done());
  });
}
