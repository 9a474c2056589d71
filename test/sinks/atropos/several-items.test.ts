import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../../support/until.js';
import type { Fault } from './double.js';
import { GROUP_SIZE, producing } from './producing.js';

const BATCH = 2 * GROUP_SIZE;
const REFUSED: Fault = { status: 422, body: '{"detail":"scores"}' };
/** Of two items each: the prompts of the second turn do not go on from the first. */
const TWO_ITEMS = { broken: true };

/** A double at which the second item of the first group was refused; the first one is in its queue. */
async function halfTaken() {
  const at = await producing();
  at.double.train(BATCH);
  at.double.faults.set('/scored_data', ['none', REFUSED]);
  const half = await at.run.close(TWO_ITEMS);
  const { stop, executor } = await at.work();
  await until(async () => (await at.delivery(half))?.state === 'parked');
  return { ...at, half, stop, executor };
}

describe('a group that was refused when a part of it was at the server', () => {
  it('is no sign of another server for the next executor', async () => {
    const { double, run, work, stop, half, id } = await halfTaken();
    const whole = await run.close();
    await until(() => double.groups.length === 2);
    await stop();
    await work();
    const last = await run.close();
    await until(() => double.groups.length >= 3);
    await sleep(50);
    expect(double.groups).toEqual([half, whole, last].map(id));
    expect(double.connected).toHaveLength(1);
  });

  it('takes its place in a batch, also for executors that come after that', async () => {
    const { double, run, work, stop, half, id, delivery } = await halfTaken();
    const whole = await run.close();
    await until(() => double.groups.length === 2);
    expect(double.takeBatches()).toBe(1);
    await until(async () => (await delivery(whole))?.details.items[0]?.state === 'taken');
    expect((await delivery(half))?.details.items[0]?.state).toBe('taken');
    await stop();
    const { executor } = await work();
    const more = await run.closeMany(2);
    await until(() => double.groups.length === 4);
    double.takeBatches();
    await until(async () => (await delivery(whole))?.state === 'confirmed');
    expect(double.groups).toEqual([half, whole, ...more].map(id));
    expect(double.connected).toHaveLength(1);
    await until(() => executor.settled.parked === 1);
    expect(await delivery(half)).toMatchObject({ state: 'parked', reason: expect.stringContaining('422') });
  });

  it('is not sent again to a server that has lost the part', async () => {
    const { double, run, half, id, delivery, executor } = await halfTaken();
    const whole = await run.close();
    await until(() => double.groups.length === 2);
    double.restart();
    double.train(BATCH);
    await until(() => double.groups.length === 3);
    await sleep(50);
    expect(double.groups).toEqual([half, whole, whole].map(id));
    expect(executor.settled.parked).toBe(1);
    expect((await delivery(half))?.state).toBe('parked');
  });

  it('is done with at the end of the run as one that was refused', async () => {
    const at = await producing();
    at.double.train(BATCH);
    at.double.faults.set('/scored_data', ['none', REFUSED]);
    await at.run.close(TWO_ITEMS);
    const { done, executor } = await at.work();
    await at.run.end();
    await done;
    expect(executor.settled).toEqual({ delivered: 0, parked: 1, skipped: 0 });
  });
});

it('a group of which one item was sent is gone on with by the next executor', async () => {
  const { double, run, work, id } = await producing();
  double.train(BATCH);
  const silence = () => double.faults.set('/status-env', new Array(1_000).fill('cut_before'));
  double.faults.set('/scored_data', ['none', { cutBefore: silence }]);
  const { stop } = await work();
  const key = await run.close(TWO_ITEMS);
  await until(() => double.faults.has('/status-env'));
  await stop();
  double.faults.clear();
  await work();
  const next = await run.close();
  await until(() => double.groups.includes(id(next)));
  expect(double.groups).toEqual([key, key, next].map(id));
  expect(double.connected).toHaveLength(1);
});

it('a group that has fewer items than before still counts those that were sent', async () => {
  const { OpenGroup } = await import('../../../src/sinks/atropos/open-group.js');
  const group = new OpenGroup({ runId: 'run', taskId: 't0', index: 0 }, null);
  group.resize(3);
  for (const item of group.items?.slice(0, 2) ?? []) item.state = 'queued';
  group.resize(1);
  expect(group.items?.map(({ state }) => state)).toEqual(['queued', 'queued']);
});
