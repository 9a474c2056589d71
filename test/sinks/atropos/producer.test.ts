import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../../support/until.js';
import type { Fault } from './double.js';
import { GROUP_SIZE, producing } from './producing.js';

const BATCH = 2 * GROUP_SIZE;

describe('registering', () => {
  it('waits for a trainer, and for its first request, and posts nothing before', async () => {
    const { double, run, work } = await producing();
    await run.close();
    await work();
    await until(() => double.asked.length > 0);
    await sleep(30);
    expect(new Set(double.asked)).toEqual(new Set(['/info']));
    double.train(BATCH);
    await until(() => double.groups.length === 1);
    expect([double.spoilt, double.envs.length]).toEqual([false, 1]);
  });

  it('names the sizes of groups that fill the batches of the trainer', async () => {
    const { double, work } = await producing();
    double.train(3);
    const { done } = await work();
    await expect(done).rejects.toMatchObject({
      code: 'sink_refused',
      retryable: false,
      message: expect.stringContaining('accepted are groups of 1, 3'),
    });
  });

  it('refuses what is no Atropos server', async () => {
    const { double, work } = await producing();
    double.faults.set('/info', [{ status: 200, body: '<html>' }]);
    const { done } = await work();
    await expect(done).rejects.toMatchObject({ code: 'sink_refused' });
  });

  it('happens once, whatever the number of executors', async () => {
    const { double, run, work } = await producing();
    double.train(BATCH);
    for (let i = 1; i <= 3; i++) {
      const { stop } = await work();
      await run.close();
      await until(() => double.groups.length === i);
      await stop();
    }
    expect([double.connected.length, new Set(double.groups).size]).toEqual([1, 3]);
  });
});

describe('backpressure', () => {
  it('allows what the formula says beyond the groups that have closed', async () => {
    const { double, run, work } = await producing({ maxBatchesOffpolicy: 2 });
    double.train(BATCH);
    await run.close();
    const { executor } = await work();
    // Two batches of two groups, of which one is queued; one has closed.
    await until(() => executor.limit === 4);
  });

  it('tells that the trainer has enough', async () => {
    const { double, run, work } = await producing();
    double.train(BATCH, { step: 9, numSteps: 10 });
    const { executor } = await work();
    await run.closeMany(4);
    await until(() => executor.finished);
  });

  it('tells the steps of the trainer as versions of the policy', async () => {
    const { double, run, work } = await producing();
    double.train(BATCH, { step: 7 });
    await work();
    await until(async () => (await run.policies.latest())?.version === '7');
  });
});

describe('a group that goes to no trainer', () => {
  it.each([
    ['of equal rewards', [1, 1], 'zero_variance'],
    ['that is not valid', [null, 1], 'invalid'],
  ])('%s is put aside with the reason', async (_, rewards, code) => {
    const { double, run, work, delivery } = await producing();
    double.train(BATCH);
    const key = await run.close({ rewards });
    const { executor } = await work();
    await until(() => executor.settled.skipped === 1);
    expect(await delivery(key)).toMatchObject({ state: 'skipped', reason: expect.stringContaining(code) });
    expect(double.groups).toEqual([]);
  });

  it('after another for want of token ids ends the sink with the reason, before more is paid for', async () => {
    const { double, run, work } = await producing({}, { deadGroups: 3 });
    double.train(BATCH);
    await run.closeMany(4, { ids: false });
    const { done, executor } = await work();
    await expect(done).rejects.toMatchObject({
      code: 'sink_refused',
      retryable: false,
      message: expect.stringContaining('was recorded without token ids'),
    });
    expect(executor.settled.skipped).toBe(3);
  });

  it('because the server refuses it is parked with its answer, and holds up no other', async () => {
    const { double, run, work, delivery } = await producing();
    double.train(BATCH);
    double.faults.set('/scored_data', [{ status: 422, body: '{"detail":"scores"}' }]);
    const [refused] = await run.closeMany(2);
    const { executor } = await work();
    await until(() => double.groups.length === 1);
    expect(executor.settled.parked).toBe(1);
    expect(await delivery(refused as never)).toMatchObject({
      state: 'parked',
      reason: 'refused: 422 {"detail":"scores"}',
    });
  });

  it('because the server breaks on it every time is parked in the end', async () => {
    const { double, run, work, delivery } = await producing();
    double.train(BATCH);
    double.faults.set(
      '/scored_data',
      Array.from({ length: 5 }, () => ({ status: 500, body: '' })),
    );
    const [broken] = await run.closeMany(2);
    const { executor } = await work({ now: hurried() });
    await until(() => double.groups.length === 1);
    expect(executor.settled.parked).toBe(1);
    expect((await delivery(broken as never))?.reason).toContain('not accepted in 5 attempts');
  });
});

it.each([429, 503])(
  'a group is not given up for a server that is full for long and says %s',
  async (status) => {
    const { double, run, work, delivery, id } = await producing();
    double.train(BATCH);
    double.faults.set(
      '/scored_data',
      Array.from({ length: 8 }, () => ({ status, body: 'the queue is full' })),
    );
    const key = await run.close();
    const { executor } = await work({ now: hurried() });
    await until(() => double.groups.includes(id(key)));
    expect(executor.settled.parked).toBe(0);
    await until(async () => (await delivery(key))?.state === 'sent');
    // It was the same server all along, and was not asked whether it is.
    expect(double.envs).toHaveLength(1);
  },
);

describe('a post that nobody answered', () => {
  it.each<[string, Fault, number, boolean]>([
    ['is not repeated when it had arrived', 'cut_after', 1, false],
    ['is repeated, and marked, when it had not: it may yet arrive', 'cut_before', 2, true],
    ['is repeated after an error of the server', { status: 500, body: 'oops' }, 2, false],
    ['is repeated after a server was full', { status: 503, body: 'full' }, 2, false],
    ['is repeated, and marked, after an error of a gateway', { status: 504, body: 'late' }, 2, true],
  ])('%s', async (_, fault, attempts, resent) => {
    const { double, run, work, delivery, id } = await producing();
    double.train(BATCH);
    double.faults.set('/scored_data', [fault]);
    const key = await run.close();
    const next = await run.close();
    await work({ now: hurried() });
    await until(() => double.groups.includes(id(next)));
    expect(double.groups).toEqual([id(key), id(next)]);
    expect(double.arrived[0]?.group_overrides.delivery).toMatchObject({ resent });
    expect(await delivery(key)).toMatchObject({ state: 'sent', attempts });
  });

  it('is told by the sum of queued and taken when the step rose meanwhile', async () => {
    const { double, run, work, id } = await producing();
    double.train(BATCH);
    await work();
    await run.close();
    await until(() => double.groups.length === 1);
    double.faults.set('/scored_data', [{ cutAfter: () => double.takeBatches() }]);
    const key = await run.close();
    const last = await run.close();
    await until(() => double.groups.includes(id(last)));
    expect(double.groups.filter((group) => group === id(key))).toHaveLength(1);
  });

  it('comes twice, marked and listed, when another producer hides what became of it', async () => {
    const { double, run, work, delivery, id } = await producing();
    double.train(BATCH);
    double.postForeign(GROUP_SIZE);
    await work({ now: hurried() });
    double.faults.set('/scored_data', [{ cutAfter: () => double.takeBatches() }]);
    const key = await run.close();
    await until(() => double.groups.length === 2);
    expect(double.groups).toEqual([id(key), id(key)]);
    expect(double.arrived[1]?.group_overrides.delivery).toEqual({ attempt: 2, resent: true });
    await until(async () => (await delivery(key))?.state === 'sent');
    expect((await delivery(key))?.reason).toContain('nobody can tell');
  });
});

/** A clock in which every look is seconds after the one before. */
function hurried(): () => number {
  let ms = Date.now();
  return () => {
    ms += 400;
    return ms;
  };
}
