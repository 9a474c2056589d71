import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttemptKey } from '../../src/core/ids.js';
import { keys } from '../../src/store/keys.js';
import { readResult } from '../../src/store/runs.js';
import { expectEveryRequestAccounted } from '../support/call-accounts.js';
import { containerOf, containersOf, removeContainersOf } from '../support/docker-host.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { MODEL_RUN, modelServer } from '../support/model-run.js';
import { runs, says, stalls } from '../support/model-server.js';
import { until } from '../support/until.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
});
afterAll(async () => {
  await removeContainersOf(host.store);
  await host.stop();
});

const task = (taskId: string) => inlineTask({ taskId, test: answerTest('42') });
const DOCKER = { ...MODEL_RUN, sandbox: 'docker' } as const;

describe('a run whose Temporal database was deleted', () => {
  it('is recovered from the store: what is recorded does not run again, living containers are adopted', async () => {
    const server = await modelServer((call) => {
      const opening = call.messages.map(({ content }) => content ?? '').join('\n');
      if (call.turn === 0) return runs('echo 42 > /app/answer; echo once >> /app/effects');
      // The second task's second call stays in the air until everything is gone.
      return opening.includes('Do two.') && call.try === 1 ? stalls : says('Done.');
    });
    await host.plan('recovered', [await task('one'), await task('two')], {
      ...DOCKER,
      baseUrl: server.baseUrl,
      modelTimeoutMs: 3_000,
    });
    await host.startWorker();
    await host.runs.start('recovered');
    const two: AttemptKey = { runId: 'recovered', taskId: 'two', sample: 0, attempt: 1 };
    await until(async () => (await readResult(host.store, { ...two, taskId: 'one' })) !== null);
    await until(() => server.of('Do two.').some(({ turn }) => turn === 1));
    const container = await containerOf(host.store, two);
    const sealed = await host.store.get(keys.result({ ...two, taskId: 'one' }));

    await host.loseDatabase();
    expect(await host.runs.progress('recovered')).toBeNull();
    expect(await containersOf(host.store)).toEqual([container]);
    expect(await host.runs.recover('recovered')).toEqual({ incarnation: 2 });
    await host.startWorker();
    const status = await host.runs.wait('recovered', AbortSignal.timeout(60_000));
    expect(status).toBe('finished');

    expect(await host.store.get(keys.result({ ...two, taskId: 'one' }))).toEqual(sealed);
    const { rollouts } = await host.document('recovered');
    expect(rollouts).toHaveLength(2);
    for (const rollout of rollouts)
      expect(rollout).toMatchObject({ stopReason: 'natural', reward: 1, attempts: 1, turns: 2 });
    expect(await containerOf(host.store, two)).toBe(container);
    expect(server.of('Do one.')).toHaveLength(2);
    expect(server.of('Do two.').filter(({ turn }) => turn === 0)).toHaveLength(1);
    await expectEveryRequestAccounted(host.store, 'recovered', server);
    await until(async () => (await containersOf(host.store)).length === 0);
  });
});

describe('a rollout whose workflow an operator terminated', () => {
  it('loses its container within a minute, and its run says that it is not finished', async () => {
    const server = await modelServer(({ turn }) =>
      turn === 0 ? runs('echo 42 > /app/answer') : runs('sleep 300'),
    );
    await host.plan('terminated', [await task('one')], { ...DOCKER, baseUrl: server.baseUrl });
    await host.runs.start('terminated');
    const key: AttemptKey = { runId: 'terminated', taskId: 'one', sample: 0, attempt: 1 };
    await until(async () => (await host.store.get(keys.toolExec(key, 0, 1, 0))) !== null);
    await host.client.workflow.getHandle('rollout/terminated/one/0').terminate('by an operator');
    expect(await host.runs.wait('terminated', AbortSignal.timeout(30_000))).toBe('failed');
    await until(async () => (await containersOf(host.store)).length === 0, { limitMs: 60_000 });

    // What it did is not lost: recovered, it gets another attempt.
    await host.runs.recover('terminated');
    await until(() => server.seen.filter(({ turn }) => turn === 0).length === 2);
    await host.runs.cancel('terminated');
    expect(await host.runs.wait('terminated', AbortSignal.timeout(60_000))).toBe('cancelled');
    const { rollouts } = await host.document('terminated');
    expect(rollouts[0]).toMatchObject({ stopReason: 'cancelled', attempt: 2, reward: null });
    await until(async () => (await containersOf(host.store)).length === 0);
  });
});
