import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Listener, readScoredData } from '../../../src/sinks/listen/index.js';
import type { ArtifactStore } from '../../../src/store/store.js';
import { tempStore } from '../../store/temp-store.js';
import { Gate, otherStore } from '../support/other-store.js';
import { posted } from './support/listening.js';

const open = (store: ArtifactStore) =>
  Listener.open({
    ...{ store, prefix: 'l', maxQueue: 10, now: () => 1 },
    checkFence: async () => {},
    atHandOut: async (_item, stored) => stored,
    onChange: () => {},
  });
const registration = {
  ...{ wandbGroup: 'g', wandbProject: 'p', batchSize: 2, maxTokenLen: 512, checkpointDir: '/c' },
  ...{ saveCheckpointInterval: 1, startingStep: 0, numSteps: 100 },
};
const group = () => readScoredData(posted(2, 1, { group_overrides: { group_id: 'g' } }));
const post = (listener: Listener) => listener.post([group()], () => ['body']);

/** The groups of the next batch. */
async function handedOut(listener: Listener): Promise<number> {
  await listener.register(registration);
  const answer = await listener.next(null);
  if (answer.kind !== 'batch') return 0;
  return (await listener.content(answer.handout)).length;
}

test('what is posted again after a reset is there after a restart', async () => {
  const store = await tempStore();
  const before = await open(store);
  await post(before);
  await before.reset();
  await before.settled();
  expect(await post(before)).toMatchObject([{ duplicate: false }]);
  const after = await open(store);
  await after.settled();
  expect(await handedOut(after)).toBe(1);
});

test('what is posted again while a reset still clears away is not cleared with the rest', async () => {
  const listener = await open(await tempStore());
  await post(listener);
  await listener.reset();
  expect(await post(listener)).toMatchObject([{ duplicate: false }]);
  await listener.settled();
  expect(await handedOut(listener)).toBe(1);
});

test('what is posted again while its acknowledgement still clears away counts once', async () => {
  const store = await tempStore();
  const cleared = new Gate();
  const put: ArtifactStore['put'] = async (key, value, durability) => {
    if (value.length === 0) await cleared.opened;
    await store.put(key, value, durability);
  };
  const listener = await open(otherStore(store, { put }));
  await post(listener);
  expect(await handedOut(listener)).toBe(1);
  expect(await listener.next(1)).toEqual({ kind: 'none' });
  const again = post(listener);
  await sleep(20);
  cleared.open();
  expect(await again).toMatchObject([{ duplicate: true }]);
});
