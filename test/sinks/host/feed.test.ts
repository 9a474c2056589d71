import { expect, it } from 'vitest';
import { type GroupKey, groupId } from '../../../src/core/ids.js';
import { feedGroup } from '../../../src/rollout/books/serve-book.js';
import type { SinkContext } from '../../../src/sinks/sink.js';
import { readGroup } from '../../../src/store/groups.js';
import { tempStore } from '../../store/temp-store.js';
import { ServeRun } from '../support/serve-run.js';

/** All that a reader is given until the run's end. */
async function drain({ feed, signal }: SinkContext): Promise<GroupKey[]> {
  const keys: GroupKey[] = [];
  for (;;) {
    const key = await feed.next(signal);
    if (key === null) return keys;
    keys.push(key);
  }
}

const small = async (serve = {}) => ServeRun.plan(await tempStore(), { groupSize: 1, serve });

it('hands out closed groups with their sampled ids, and ends with the run', async () => {
  const serve = await ServeRun.plan(await tempStore(), { groupSize: 2 });
  const keys = await serve.closeMany(3);
  await serve.end();
  const { context } = await serve.executor('jsonl');
  expect((await drain(context)).map(groupId)).toEqual(keys.map(groupId));
  const { record, episodes } = await context.feed.read(keys[2] as GroupKey);
  expect(record).toMatchObject({ taskId: 't0', index: 1, valid: true, mean: 0.5 });
  const lengths = episodes.map(({ turns }) =>
    turns.map(({ completionTokenIds }) => completionTokenIds?.length),
  );
  expect(lengths).toEqual([
    [5, 5],
    [5, 5],
  ]);
});

it('waits for groups that are still to close', async () => {
  const serve = await small();
  const { context } = await serve.executor('jsonl');
  const first = context.feed.next(context.signal);
  expect(await context.feed.poll()).toBeNull();
  const key = await serve.close();
  expect(await first).toEqual(key);
  expect(await context.feed.ended()).toBe(false);
  const end = context.feed.next(context.signal);
  await serve.end();
  expect(await end).toBeNull();
  expect(await context.feed.ended()).toBe(true);
});

it('stops waiting when the executor has to stop', async () => {
  const serve = await small();
  const executor = await serve.executor('jsonl');
  const next = executor.context.feed.next(executor.context.signal);
  executor.stop();
  await expect(next).rejects.toThrow();
});

it('hands out a group once that stands in the feed twice', async () => {
  const serve = await small();
  for (let n = 0; n < 3; n++) {
    const record = await readGroup(serve.store, await serve.close());
    if (record !== null) await feedGroup(serve.store, 'run', record);
  }
  await serve.end();
  const { context } = await serve.executor('jsonl');
  expect(await drain(context)).toHaveLength(3);
  expect(await context.feed.closed()).toBe(3);
});

it('gives the next executor what the last one was not done with, and counts on', async () => {
  const serve = await small();
  const [a, b, c, d] = (await serve.closeMany(4)) as [GroupKey, GroupKey, GroupKey, GroupKey];
  const first = await serve.executor('jsonl');
  await first.context.feed.next(first.context.signal);
  await first.context.feed.closed();
  first.context.feed.settled(a, 'delivered', 1);
  first.context.feed.settled(c, 'parked');
  await first.close();
  await serve.end();

  const second = await serve.executor('jsonl');
  // `c` is given once more: it lies behind one that is not done. A ledger knows it.
  expect(await drain(second.context)).toEqual([b, c, d]);
  for (const key of [b, c, d]) second.context.feed.settled(key, key === c ? 'parked' : 'skipped');
  await second.close();
  const third = await serve.executor('jsonl');
  expect(await drain(third.context)).toEqual([]);
  expect(await third.context.feed.closed()).toBe(4);
});

it('notes the versions that an endpoint was seen with, and how old each rollout is', async () => {
  const serve = await ServeRun.plan(await tempStore(), {
    groupSize: 3,
    serve: { policyVersions: 'endpoint', maxLag: 1 },
  });
  const key = await serve.close({ member: (member) => ({ policyVersion: ['a', 'b', 'c'][member] ?? null }) });
  const { context } = await serve.executor('jsonl');
  const { lags, masked, episodes } = await context.feed.read(key);
  expect(lags).toEqual([2, 1, 0]);
  expect(masked).toBe(1);
  expect(episodes.map(({ turns }) => turns.every((turn) => turn.masked === true))).toEqual([
    true,
    false,
    false,
  ]);
});

it('takes rollouts of which nobody knows the version for fresh', async () => {
  const serve = await small({ maxLag: 0 });
  const key = await serve.close();
  await serve.policies.tell({ version: '1', source: 'trainer' });
  const { context } = await serve.executor('jsonl');
  expect(await context.feed.read(key)).toMatchObject({ lags: [null], masked: 0 });
});
