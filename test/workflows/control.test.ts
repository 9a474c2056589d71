import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keys } from '../../src/store/keys.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { until } from '../support/until.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker({ sliceMs: 500 });
});
afterAll(() => host.stop());

const SLOW = { agent: 'tool-calling', model: 'scripted/turns-40-delay-100ms' } as const;
const task = () => inlineTask({ taskId: 'one', test: answerTest('42') });
const turnsOf = async (runId: string, attempt = 1) =>
  (await host.store.children(keys.turns({ runId, taskId: 'one', sample: 0, attempt }, 0))).length;

describe('a run that is told to', () => {
  it('pause takes no more turns, keeps its sandboxes and goes on where it was', async () => {
    await host.plan('pausing', [await task()], SLOW);
    const done = host.finish('pausing');
    await until(async () => (await turnsOf('pausing')) >= 3);
    await host.runs.pause('pausing');
    await until(async () => (await host.runs.progress('pausing'))?.status === 'paused');
    // One slice may still be under way.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const held = await turnsOf('pausing');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await turnsOf('pausing')).toBe(held);
    expect(held).toBeLessThan(40);
    await host.runs.resume('pausing');
    const { rollouts } = await done;
    expect(rollouts[0]).toMatchObject({ stopReason: 'natural', attempts: 1, lostCalls: 0, reward: 0 });
  });

  it('cancel ends its rollouts as cancelled and keeps what they did', async () => {
    await host.plan('cancelling', [await task()], { ...SLOW, samples: 3, concurrency: 2 });
    const done = host.finish('cancelling');
    await until(async () => (await turnsOf('cancelling')) >= 3);
    await host.runs.cancel('cancelling');
    const { run, summary, rollouts } = await done;
    expect(run.status).toBe('cancelled');
    expect(summary).toMatchObject({ nCancelled: 2, nScored: 0, nOpen: 1 });
    expect(rollouts[0]).toMatchObject({ stopReason: 'cancelled', reward: null, failureClass: 'operator' });
    expect(rollouts[0]?.turns).toBeGreaterThanOrEqual(3);
    expect(
      await host.store.get(keys.trajectory({ runId: 'cancelling', taskId: 'one', sample: 0 })),
    ).not.toBeNull();
  });

  it('run more at once does so', async () => {
    await host.plan('widening', [await task()], { ...SLOW, samples: 4, concurrency: 1 });
    const done = host.finish('widening');
    await until(async () => (await turnsOf('widening')) >= 1);
    const started = async () => (await host.store.children(`${keys.rollouts('widening')}/one`)).length;
    expect(await started()).toBe(1);
    await host.runs.setConcurrency('widening', 4);
    await until(async () => (await started()) === 4);
    await host.runs.cancel('widening');
    await done;
  });
});

describe('a worker that goes away', () => {
  it('in the middle of a run hands it to the next, without a lost call', async () => {
    await host.plan('handed-over', [await task()], { ...SLOW, maxAttempts: 3 });
    const done = host.finish('handed-over');
    await until(async () => (await turnsOf('handed-over')) >= 3);
    await host.worker?.shutdown();
    await host.startWorker();
    const { rollouts } = await done;
    // The in-memory sandbox ends with its worker: that attempt is lost, its evidence kept, and another one made.
    expect(rollouts[0]).toMatchObject({
      stopReason: 'natural',
      attempt: 2,
      attempts: 2,
      lostCalls: 0,
      reward: 0,
    });
    expect(await turnsOf('handed-over', 1)).toBeGreaterThanOrEqual(3);
  });

  it('is never joined by a second one on the same state folder', async () => {
    const { worker } = host;
    await expect(host.startWorker()).rejects.toMatchObject({ code: 'host_locked' });
    host.worker = worker;
  });
});
