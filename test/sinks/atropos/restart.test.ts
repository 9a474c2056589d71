import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../../support/until.js';
import type { Fault } from './double.js';
import { GROUP_SIZE, producing } from './producing.js';

const BATCH = 2 * GROUP_SIZE;

describe('a server that has restarted', () => {
  it('is given again, in order and marked, what was not confirmed, and nothing else', async () => {
    const { double, run, work, delivery, id } = await producing();
    double.train(BATCH);
    await work();
    const all = await run.closeMany(6);
    await until(() => double.groups.length === 6);
    // Two batches of their own: the first is confirmed by the second.
    expect(double.takeBatches()).toBe(3);
    const more = await run.closeMany(2);
    await until(() => double.groups.length === 8);
    double.takeBatches();
    await until(async () => (await delivery(all[5] as never))?.state === 'confirmed');
    const last = await run.close();
    await until(() => double.groups.length === 9);
    double.restart();
    await sleep(30);
    expect(double.groups).toHaveLength(9);
    double.train(BATCH, { step: 4 });
    await until(() => double.groups.length === 12);
    expect(double.groups.slice(9)).toEqual([...more, last].map(id));
    for (const { group_overrides } of double.arrived.slice(9))
      expect(group_overrides.delivery).toEqual({ attempt: 2, resent: true });
    expect((await delivery(last))?.reason).toContain('sent again: ');
    expect(double.spoilt).toBe(false);
  });

  it('is recognised when another environment has got our number there', async () => {
    const { double, run, work, id } = await producing();
    double.train(BATCH, { step: 3 });
    await work();
    const key = await run.close();
    await until(() => double.groups.length === 1);
    double.restart();
    double.train(BATCH, { step: 3 });
    double.registerForeign();
    await until(() => double.groups.length === 2);
    expect(double.groups).toEqual([id(key), id(key)]);
    expect(double.connected).toHaveLength(2);
  });

  it('is recognised although it was asked, and cut off, before it could say so', async () => {
    const { double, run, work, delivery, id } = await producing();
    double.train(BATCH, { step: 3 });
    await work();
    const both = await run.closeMany(2);
    await until(() => double.groups.length === 2);
    double.takeBatches();
    await until(async () => (await delivery(both[1] as never))?.details.items[0]?.state === 'taken');
    double.restart();
    // At the same step, with nothing queued: nothing that can be counted tells.
    double.train(BATCH, { step: 4 });
    double.registerForeign();
    double.faults.set('/register-env', ['cut_after', 'cut_after']);
    await until(() => double.groups.length === 4, { limitMs: 10_000 });
    expect(double.groups).toEqual([...both, ...both].map(id));
    for (const { group_overrides } of double.arrived.slice(2))
      expect(group_overrides.delivery.resent).toBe(true);
  });

  it('is told from one that lives by no connection that was cut', async () => {
    const { double, run, work, delivery } = await producing();
    double.train(BATCH);
    await work();
    const keys = [];
    for (let sent = 1; sent <= 4; sent++) {
      keys.push(await run.close());
      await until(() => double.groups.length === sent);
      double.faults.set('/status-env', ['cut_before', 'cut_after']);
      await until(() => double.faults.get('/status-env')?.length === 0);
    }
    await sleep(50);
    expect(new Set(double.groups).size).toBe(double.groups.length);
    expect(double.connected).toHaveLength(1);
    for (const key of keys) expect((await delivery(key))?.reason).toBeNull();
  });

  it('is recognised by either word for an environment that is not known', async () => {
    const { double, run, work, id } = await producing();
    double.train(BATCH);
    const { executor } = await work();
    const key = await run.close();
    await until(() => double.groups.length === 1);
    double.faults.set('/status-env', [{ status: 404, body: '{"detail":"no environment has the id 0"}' }]);
    await until(() => double.groups.length === 2);
    expect(double.groups).toEqual([id(key), id(key)]);
    expect(double.connected).toHaveLength(2);
    expect(executor.settled.parked).toBe(0);
  });

  it('is recognised by an executor that was not there at the time', async () => {
    const { double, run, work } = await producing();
    double.train(BATCH);
    const { stop } = await work();
    await run.close();
    await until(() => double.groups.length === 1);
    await stop();
    double.restart();
    double.train(BATCH);
    await work();
    await until(() => double.groups.length === 2);
    expect(double.arrived[1]?.group_overrides.delivery).toEqual({ attempt: 2, resent: true });
  });

  it('is waited for while it is away, and the reason is told', async () => {
    const { double, run, work } = await producing();
    double.away = true;
    const { executor } = await work();
    const notes: unknown[] = [];
    const { report } = executor.context;
    executor.context.report = (told) => {
      notes.push(told.note);
      report(told);
    };
    await run.close();
    await until(() => notes.some((note) => String(note).includes('waits for the server')));
    double.away = false;
    double.train(BATCH);
    await until(() => double.groups.length === 1);
  });
});

it.each([
  ['had arrived', 'cutAfter', 1],
  ['had not arrived', 'cutBefore', 2],
] as const)(
  'an executor settles what became of a post of the one before that died: it %s',
  async (_, fault, attempts) => {
    const { double, run, work, delivery, id } = await producing();
    double.train(BATCH);
    // So that the one that posted finds nothing out any more.
    const silence = () => double.faults.set('/status-env', new Array(1_000).fill('cut_before'));
    double.faults.set('/scored_data', [{ [fault]: silence } as unknown as Fault]);
    const { stop } = await work();
    const key = await run.close();
    await until(() => double.asked.includes('/scored_data'));
    await stop();
    expect(await delivery(key)).toMatchObject({ state: 'sending' });
    double.faults.clear();
    await work();
    const next = await run.close();
    await until(() => double.groups.includes(id(next)));
    expect(double.groups).toEqual([id(key), id(next)]);
    expect((await delivery(key))?.attempts).toBe(attempts);
  },
);

it('an executor that a newer one has relieved posts nothing more', async () => {
  const { double, run, work } = await producing();
  double.train(BATCH);
  const { done } = await work();
  await until(() => double.envs.length === 1);
  await run.executor('atropos');
  await run.close();
  await expect(done).rejects.toMatchObject({ code: 'fenced' });
  expect(double.groups).toEqual([]);
});

describe('taking leave', () => {
  it('disconnects the environment, also after what was done before a crash, and more than once', async () => {
    const { double, run, work, close } = await producing();
    double.train(BATCH);
    const { stop } = await work();
    await run.close();
    await until(() => double.groups.length === 1);
    await stop();
    await close();
    await close();
    expect(double.envs.filter(({ connected }) => connected)).toEqual([]);
  });

  it('leaves a server alone that has given the number to somebody else', async () => {
    const { double, run, work, close } = await producing();
    double.train(BATCH, { step: 5 });
    const { stop } = await work();
    await run.close();
    await until(() => double.groups.length === 1);
    await stop();
    double.restart();
    double.train(BATCH);
    double.registerForeign();
    await close();
    expect(double.connected).toEqual(['foreign']);
  });

  it('does nothing where nothing was registered', async () => {
    const { double, close } = await producing();
    await close();
    expect(double.asked).toEqual([]);
  });
});

it('a run that has ended is delivered once nothing more can be told', async () => {
  const { double, run, work, delivery } = await producing();
  double.train(BATCH);
  const { executor, done } = await work();
  const [first, , odd] = await run.closeMany(3);
  await until(() => double.groups.length === 3);
  double.takeBatches();
  await run.end();
  await done;
  expect(executor.settled).toEqual({ delivered: 3, parked: 0, skipped: 0 });
  expect((await delivery(first as never))?.state).toBe('sent');
  expect((await delivery(odd as never))?.reason).toContain('before a later step could confirm it');
});
