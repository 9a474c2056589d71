import { expect, onTestFinished, test } from 'vitest';
import { type GroupKey, groupId } from '../../src/core/ids.js';
import { atroposSink } from '../../src/sinks/atropos/index.js';
import { atroposDeliverySchema } from '../../src/sinks/atropos/ledger.schema.js';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { ServeRun } from '../sinks/support/serve-run.js';
import { tempStore } from '../store/temp-store.js';
import { until } from '../support/until.js';
import { AtroposServer } from './support/atropos-server.js';
import { TcpGate } from './support/tcp-gate.js';

const GROUP = 2;
const BATCH = 2 * GROUP;
const OPTIONS = { pollMs: 50, lingerMs: 1_000, retryMs: { first: 50, longest: 100 } };

interface Got {
  group: string;
  resent: boolean | null;
}

/** The real server behind a gate, its trainer, another producer, and a run that serves it. */
async function setUp() {
  const server = await AtroposServer.start();
  onTestFinished(() => server.kill());
  const gate = await TcpGate.to(server.port);
  const run = await ServeRun.plan(await tempStore(), { groupSize: GROUP, serve: { atropos: gate.url } });
  const work = async () => {
    const executor = await run.executor('atropos');
    const done = atroposSink(run.run, OPTIONS).run(executor.context);
    done.catch(() => undefined);
    const stop = async () => {
      executor.stop();
      await done.catch(() => undefined);
      await executor.close();
    };
    return { executor, stop };
  };
  const leave = async () => atroposSink(run.run, OPTIONS).close((await run.executor('atropos')).context);
  const delivery = ({ runId, taskId, index }: GroupKey) =>
    readRecord(run.store, atroposDeliverySchema, keys.delivery(runId, 'atropos', taskId, index));
  return { ...trainerOf(server), server, gate, run, work, leave, delivery };
}

function trainerOf(server: AtroposServer) {
  const got: Got[] = [];
  /** The next batch, noted. */
  const take = async (): Promise<number> => {
    const { json } = await server.ask('/batch');
    const items =
      (json as { batch: { group_overrides: Record<string, unknown> | null }[] | null }).batch ?? [];
    for (const { group_overrides: known } of items)
      got.push({
        group: String(known?.group_id),
        resent: (known?.delivery as { resent: boolean } | undefined)?.resent ?? null,
      });
    return items.length;
  };
  const train = async (step: number) => {
    await server.ask('/register', {
      ...{ wandb_group: 'g', wandb_project: 'p', batch_size: BATCH, max_token_len: 4096, num_steps: 1_000 },
      ...{ checkpoint_dir: '', save_checkpoint_interval: 10, starting_step: step },
    });
    await take();
  };
  const registerOther = async () => {
    const env = { max_token_length: 4096, desired_name: 'other', weight: 1, group_size: GROUP };
    return ((await server.ask('/register-env', env)).json as { env_id: number }).env_id;
  };
  const postOther = (env_id: number) =>
    server.ask('/scored_data', {
      ...{ env_id, tokens: [[1], [1]], masks: [[1], [1]], scores: [0, 1] },
      group_overrides: { group_id: 'other' },
    });
  const queued = async () => ((await server.ask('/status')).json as { queue_size: number }).queue_size;
  return { got, take, train, registerOther, postOther, queued };
}

/** Two groups of ours are in a batch when the server dies; in the next one, at the same step, another has our number. */
async function replaced(at: Awaited<ReturnType<typeof setUp>>, whileAway: () => Promise<void> | void) {
  const { server, gate, run, train, take, registerOther, postOther, queued, delivery } = at;
  const groups = await run.closeMany(2);
  await until(async () => (await queued()) === 2);
  await take();
  await until(async () => (await delivery(groups[1] as GroupKey))?.details.items[0]?.state === 'taken');
  await whileAway();
  gate.shut();
  await server.kill();
  await server.up();
  await train(0);
  expect(await registerOther()).toBe(0);
  await postOther(0);
  await postOther(0);
  await take();
  at.got.length = 0;
  return groups;
}

test('a restart is noticed although another producer has our number there and the step is the same', async () => {
  const at = await setUp();
  await at.train(0);
  await at.work();
  const groups = await replaced(at, () => undefined);
  at.gate.open();
  await until(async () => (await at.queued()) === 2, { limitMs: 10_000 });
  await at.take();
  expect(at.got).toEqual(groups.map((key) => ({ group: groupId(key), resent: true })));
});

test('the same by an executor that was not there at the time', async () => {
  const at = await setUp();
  await at.train(0);
  const { stop } = await at.work();
  const groups = await replaced(at, stop);
  at.gate.open();
  await at.work();
  await until(async () => (await at.queued()) === 2, { limitMs: 10_000 });
  expect((await at.delivery(groups[0] as GroupKey))?.reason).toContain('sent again');
});

test('a connection that was cut brings nothing twice', async () => {
  const { train, work, run, gate, queued, take, got } = await setUp();
  await train(0);
  await work();
  await run.close();
  for (let sent = 2; sent <= 5; sent++) {
    await until(async () => (await queued()) === sent - 1);
    gate.shut();
    gate.open();
    await run.close();
  }
  await until(async () => (await queued()) === 5);
  await take();
  await take();
  expect(got.map(({ resent }) => resent)).toEqual([false, false, false, false]);
});

test("leave is not taken of another producer's environment", async () => {
  const at = await setUp();
  await at.train(0);
  const { stop } = await at.work();
  await replaced(at, stop);
  at.gate.open();
  await at.leave();
  // It counts the weights of connected environments and divides by their sum: the other's is still among them.
  const env = { max_token_length: 4096, desired_name: 'third', weight: 1, group_size: GROUP };
  const { env_id } = (await at.server.ask('/register-env', env)).json as { env_id: number };
  expect(await weightOf(at.server, env_id)).toBe(0.5);
});

test('a post that turns up after it was given up comes twice, and the second one says so', async () => {
  const { train, work, run, gate, queued, take, got } = await setUp();
  await train(0);
  const { executor } = await work();
  gate.holdNextPost();
  const key = await run.close();
  await until(async () => gate.hasHeld && (await queued()) === 1);
  expect(await gate.deliverHeld()).toContain('received');
  await take();
  expect(got).toEqual([
    { group: groupId(key), resent: true },
    { group: groupId(key), resent: false },
  ]);
  expect(executor.settled.parked).toBe(0);
});

/** GET with a body, which `fetch` refuses. */
async function weightOf(server: AtroposServer, env_id: number): Promise<number> {
  const { Connection } = await import('../../src/sinks/atropos/connection.js');
  const connection = new Connection(new URL(server.url));
  try {
    const { body } = await connection.ask('GET', '/status-env', { body: { env_id }, timeoutMs: 10_000 });
    return (JSON.parse(body) as { env_weight: number }).env_weight;
  } finally {
    connection.close();
  }
}
