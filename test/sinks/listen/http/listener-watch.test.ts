import { expect, test } from 'vitest';
import { ListenerWatch } from '../../../../src/sinks/listen/http/listener-watch.js';
import { Listener, readScoredData } from '../../../../src/sinks/listen/index.js';
import type { SinkContext } from '../../../../src/sinks/sink.js';
import { tempStore } from '../../../store/temp-store.js';
import { serveConfig } from '../../../support/serve-config.js';
import { posted } from '../support/listening.js';

const GROUP_SIZE = 4;
const CLOSED = 7;

interface Watched {
  listener: Listener;
  watch: ListenerWatch;
  /** What the run was told. */
  limit(): number;
}

/** A listener whose trainer takes batches of 8, with these groups in the queue. */
async function watched(others: readonly number[], own: number): Promise<Watched> {
  const listener = await Listener.open({
    ...{ store: await tempStore(), prefix: 'l', maxQueue: 100, now: () => 1 },
    checkFence: async () => {},
    atHandOut: async (_item, stored) => stored,
    onChange: () => {},
  });
  const items = others.map((size, i) => readScoredData(posted(size, i + 1)));
  await listener.post(items, () => ['body']);
  await listener.register({
    ...{ wandbGroup: 'g', wandbProject: 'p', batchSize: 8, maxTokenLen: 512, checkpointDir: '/c' },
    ...{ saveCheckpointInterval: 1, startingStep: 0, numSteps: 100 },
  });
  const ours = Array.from({ length: own }, (_, i) => readScoredData(posted(GROUP_SIZE, 100 + i)));
  if (own > 0) await listener.queueOwn(ours);
  let limit = 0;
  const context = {
    run: { config: { groupSize: GROUP_SIZE } },
    feed: { closed: async () => CLOSED },
    now: () => 1,
    report: () => {},
    policies: { latest: async () => null, tell: async () => {} },
    allow: async (said: number) => {
      limit = said;
    },
  } as unknown as SinkContext;
  const watch = new ListenerWatch(context, serveConfig({ maxQueue: 100, maxBatchesOffpolicy: 2 }));
  await watch.begin(listener);
  return { listener, watch, limit: () => limit };
}

/** How many groups may be started beyond those that are closed, with these in the queue. */
async function room(others: readonly number[], own: number): Promise<number> {
  const { watch, limit } = await watched(others, own);
  await watch.allow();
  return limit() - CLOSED;
}

test('as many groups may be on their way as the trainer can use, less what waits', async () => {
  expect(await room([], 0)).toBe(4);
  expect(await room([], 3)).toBe(1);
  expect(await room([8, 8], 0)).toBe(0);
});

test('groups of others that fill no batch hold none of the run back', async () => {
  // Posted before a trainer said what its batches hold: 3 and 3 and 3 are no 8, nor with a 4.
  expect(await room([3, 3, 3, 3, 3, 3], 0)).toBe(4);
  expect(await room([3, 3, 3, 3, 3, 3], 1)).toBe(3);
  expect(await room([3, 3, 3, 3, 3, 3], 2)).toBe(0);
});

test('all is delivered once what is left fills no batch, but not while a batch waits for the share of another producer', async () => {
  expect((await watched([], 1)).watch.isDelivered()).toBe(true);
  expect((await watched([], 2)).watch.isDelivered()).toBe(false);
  const { watch, listener } = await watched([], 2);
  await listener.next(0);
  await listener.next(1);
  expect(watch.isDelivered()).toBe(true);
  await listener.registerEnv({
    ...{ maxTokenLength: 512, desiredName: 'e', weight: 1, groupSize: 4 },
    minBatchAllocation: 0.5,
  });
  await listener.queueOwn([7, 8].map((first) => readScoredData(posted(GROUP_SIZE, first))));
  expect((await listener.next(1)).kind).toBe('none');
  expect(watch.isDelivered()).toBe(false);
  await listener.disconnectEnv(0);
  expect((await listener.next(1)).kind).toBe('batch');
});
