import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { START } from '../../../src/sinks/host/feed-position.js';
import { StoreFeed } from '../../../src/sinks/host/store-feed.js';
import { keys } from '../../../src/store/keys.js';
import { PolicyLog } from '../../../src/store/policy-log.js';
import { tempStore } from '../../store/temp-store.js';
import { Gate, otherStore } from '../support/other-store.js';
import { ServeRun } from '../support/serve-run.js';

it('has not ended while a reading is under way that began before the last group closed', async () => {
  const serve = await ServeRun.plan(await tempStore(), { groupSize: 1 });
  const { store, run, taskIds } = serve;
  const [asked, answered] = [new Gate(), new Gate()];
  const get = async (key: string) => {
    const found = await store.get(key);
    if (found !== null || !key.startsWith(keys.feed(run.runId))) return found;
    asked.open();
    await answered.opened;
    return found;
  };
  const feed = new StoreFeed({
    ...{ run, taskIds, cursor: START, store: otherStore(store, { get }) },
    patient: (work) => work(),
    policies: new PolicyLog(store, run.runId, () => 1),
    watch: { read: () => {}, settled: () => {} },
  });
  const poll = feed.poll();
  await asked.opened;
  const key = await serve.close();
  await serve.end();
  const ended = feed.ended();
  // By then it has read that the run is over.
  await sleep(20);
  answered.open();
  expect(await poll).toBeNull();
  expect(await ended).toBe(false);
  expect(await feed.poll()).toEqual(key);
});
