import { afterAll, beforeAll, expect, it } from 'vitest';
import { keys } from '../../src/store/keys.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { until } from '../support/until.js';

const CAPACITY = 2;
let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker({ sliceMs: 500, capacity: CAPACITY });
});
afterAll(() => host.stop());

it('a recovered run takes up its sandboxes again, also where they fill the only host', async () => {
  await host.plan('full', [await inlineTask({ taskId: 'one', test: answerTest('42') })], {
    agent: 'tool-calling',
    model: 'scripted/turns-40-delay-100ms',
    samples: CAPACITY,
    concurrency: CAPACITY,
  });
  await host.runs.start('full');
  const begun = async (sample: number) =>
    (await host.store.children(keys.turns({ runId: 'full', taskId: 'one', sample, attempt: 1 }, 0))).length >=
    2;
  await until(async () => (await begun(0)) && (await begun(1)));
  await host.runs.recover('full');
  expect(await host.runs.wait('full', AbortSignal.timeout(45_000))).toBe('finished');
  const { rollouts } = await host.finish('full');
  expect(rollouts.map(({ stopReason, attempts }) => [stopReason, attempts])).toEqual([
    ['natural', 1],
    ['natural', 1],
  ]);
});
