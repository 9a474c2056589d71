import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { GroupKey } from '../../src/core/ids.js';
import { groupId } from '../../src/core/ids.js';
import type { ServeConfig } from '../../src/core/run/serve-config.schema.js';
import type { ScoredItem } from '../../src/formats/atropos-group/scored-item.js';
import { scoredItems } from '../../src/formats/atropos-group/scored-items.js';
import { atroposSink } from '../../src/sinks/atropos/index.js';
import { atroposDeliverySchema } from '../../src/sinks/atropos/ledger.schema.js';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { scoredGroup } from '../formats/atropos-group/scored-group.js';
import { RESPELLED } from '../formats/tokens/sampled-episode.js';
import { madeTurns } from '../sinks/support/made-turns.js';
import { ServeRun } from '../sinks/support/serve-run.js';
import type { Executor } from '../sinks/support/sink-executor.js';
import { tempStore } from '../store/temp-store.js';
import { until } from '../support/until.js';
import { AtroposConsumer } from './support/atropos-consumer.js';
import { AtroposServer } from './support/atropos-server.js';
import { runPeer } from './support/python.js';

const GROUP = 4;
const OPTIONS = { pollMs: 50, lingerMs: 1_000, retryMs: { first: 50, longest: 200 } };

async function setUp(serve: Partial<ServeConfig> = {}) {
  const server = await AtroposServer.start();
  onTestFinished(() => server.kill());
  const consume = () => {
    const consumer = new AtroposConsumer(server.url, { batchSize: 2 * GROUP, groupSize: GROUP });
    onTestFinished(() => consumer.stop());
    return consumer;
  };
  const run = await ServeRun.plan(await tempStore(), {
    groupSize: GROUP,
    serve: { atropos: server.url, ...serve },
  });
  const work = async () => {
    const executor = await run.executor('atropos');
    const done = atroposSink(run.run, OPTIONS).run(executor.context);
    done.catch(() => undefined);
    return { executor, done };
  };
  const delivery = ({ runId, taskId, index }: GroupKey) =>
    readRecord(run.store, atroposDeliverySchema, keys.delivery(runId, 'atropos', taskId, index));
  return { server, consume, run, work, delivery };
}

const leave = (run: ServeRun, { context }: Executor) => atroposSink(run.run, OPTIONS).close(context);

test('groups reach a trainer whole, as they were sampled, and the environment is disconnected at the end', async () => {
  const { server, consume, run, work, delivery } = await setUp();
  const consumer = consume();
  const keysOf = await run.closeMany(5);
  const broken = await run.close({ broken: true });
  const { executor, done } = await work();
  await until(() => new Set(consumer.items.map(({ group }) => group)).size === 6);
  const { items } = consumer;
  expect(items.filter(({ error }) => error !== null)).toEqual([]);
  expect(items.map(({ group }) => group).sort()).toEqual([...keysOf, broken].map(groupId).sort());
  expect(
    items.filter(({ group }) => group === groupId(broken)).map(({ item, items: of }) => [item, of]),
  ).toEqual([[0, 2]]);
  const [turn] = madeTurns(0).slice(-1);
  const first = items.find(({ group }) => group === groupId(keysOf[0] as GroupKey));
  expect(first?.tokens[0]).toEqual([...(turn?.promptTokenIds ?? []), ...(turn?.completionTokenIds ?? [])]);
  await until(() => executor.limit > 6);
  await run.close();
  await run.end();
  await done;
  expect(await delivery(keysOf[0] as GroupKey)).toMatchObject({ state: 'confirmed', attempts: 1 });
  expect(executor.settled).toEqual({ delivered: 7, parked: 0, skipped: 0 });
  await leave(run, executor);
  await leave(run, executor);
  // It counted the weights of connected environments: none is left, and it divides by their sum.
  expect((await statusOf(server)).status).toBe(500);
});

test('a server that is killed loses nothing: what was not confirmed is sent again, and marked', async () => {
  const { server, consume, run, work, delivery } = await setUp();
  const consumer = consume();
  const { done } = await work();
  const all: GroupKey[] = [];
  for (let round = 0; round < 3; round++) {
    all.push(...(await run.closeMany(7)));
    await until(() => consumer.items.length >= all.length - 3);
    if (round === 2) break;
    await server.kill();
    await sleep(200);
    await server.up();
  }
  await run.end();
  await until(() => new Set(consumer.items.map(({ group }) => group)).size >= 20);
  await done;
  const { items } = consumer;
  expect(items.filter(({ error }) => error !== null)).toEqual([]);
  const lost = all.filter((key) => !items.some(({ group }) => group === groupId(key)));
  // An odd one does not fill a batch: it waits in the queue of the server that lives.
  expect(lost.length).toBeLessThanOrEqual(1);
  const seen = new Set<string | null>();
  for (const { group, delivery: marked } of items) {
    if (seen.has(group)) expect(marked?.resent).toBe(true);
    seen.add(group);
  }
  for (const key of all) expect((await delivery(key))?.state).toMatch(/^(confirmed|sent)$/);
});

test('an executor that takes over goes on where the other stood, and nothing comes twice', async () => {
  const { consume, run, work } = await setUp();
  const consumer = consume();
  for (let round = 0; round < 4; round++) {
    const { executor } = await work();
    await run.closeMany(4);
    await until(() => consumer.items.length >= round * 4 + 2);
    // As a worker that is killed: the next executor is begun while it still works.
    if (round % 2 === 0) executor.stop();
  }
  await until(() => consumer.items.length === 16);
  expect(new Set(consumer.items.map(({ group }) => group)).size).toBe(16);
});

test.each<[string, (item: ScoredItem) => void, string]>([
  ['a mask shifted by one', ({ masks }) => void masks[1]?.unshift(masks[1].pop() as number), 'entry 1'],
  ['a log-probability too few', (it) => void it.inference_logprobs[0]?.pop(), 'logprobs'],
  [
    'the log-probabilities shifted by one',
    (it) => void it.inference_logprobs[0]?.unshift(it.inference_logprobs[0].pop() as number),
    'log-probability',
  ],
  [
    "Tinker's mark of what is not trained",
    (it) => void it.inference_logprobs[0]?.splice(0, 1, 0),
    'untrained',
  ],
  [
    'a member too few',
    (it) =>
      [it.tokens, it.masks, it.scores, it.inference_logprobs, it.overrides, it.advantages ?? []].forEach(
        (list) => void list.pop(),
      ),
    'entries',
  ],
  ['a baseline of its own', ({ scores }) => void scores.splice(0, 1, 0.25), 'mean'],
])('the consumer refuses %s', async (_, spoil, reason) => {
  const { record, episodes } = scoredGroup([{ reward: 1 }, { reward: 0, turns: RESPELLED }]);
  const { items } = scoredItems(record, episodes, { maxTokenLength: null, keepZeroVariance: false });
  const check = (sent: readonly ScoredItem[]) =>
    runPeer('check_atropos_items.py', ['2'], JSON.stringify(sent));
  expect(await check(items)).toMatchObject({ exitCode: 0, stderr: '' });
  const spoilt = structuredClone(items[0]) as ScoredItem;
  spoil(spoilt);
  const { exitCode, stderr } = await check([spoilt]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(reason);
});

/** GET with a body, which `fetch` refuses. */
async function statusOf(server: AtroposServer) {
  const { Connection } = await import('../../src/sinks/atropos/connection.js');
  const connection = new Connection(new URL(server.url));
  try {
    return await connection.ask('GET', '/status-env', { body: { env_id: 0 }, timeoutMs: 10_000 });
  } finally {
    connection.close();
  }
}
