import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunDocument } from '../../src/records/summary.js';
import { keys } from '../../src/store/keys.js';
import { expectEveryRequestAccounted } from '../support/call-accounts.js';
import { inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { MODEL_RUN } from '../support/model-run.js';
import {
  type Answer,
  ModelServer,
  refuses,
  runs,
  type SeenCall,
  says,
  stalls,
} from '../support/model-server.js';
import { until } from '../support/until.js';

const RUN = 'cancelled';
/** Where each rollout is when the run is cancelled. */
const PHASES = ['calling', 'commanding', 'verifying', 'waiting', 'placing'] as const;

function script(call: SeenCall): Answer {
  const opening = call.messages.map(({ content }) => content ?? '').join('\n');
  if (opening.includes('Do verifying.')) return says('Done.');
  if (call.turn === 0) return runs('echo first > /app/first');
  if (opening.includes('Do commanding.')) return runs('touch /app/begun; sleep 60');
  return opening.includes('Do calling.')
    ? stalls
    : refuses(429, 'come back later', { headers: { 'retry-after': '300' } });
}

let host: LongrunHost;
let server: ModelServer;
let document: RunDocument;

beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker();
  server = await ModelServer.start(script);
  const never = {
    command: 'false',
    intervalMs: 50,
    timeoutMs: 1_000,
    startPeriodMs: 600_000,
    startIntervalMs: 50,
    retries: 3,
  };
  const tasks = await Promise.all(
    PHASES.map((taskId) =>
      inlineTask({
        taskId,
        test: `#!/bin/sh\n${taskId === 'verifying' ? 'sleep 60' : 'true'}\n`,
        verifier: { timeoutMs: 90_000 },
        sandbox: { healthcheck: taskId === 'placing' ? never : null },
      }),
    ),
  );
  await host.plan(RUN, tasks, { ...MODEL_RUN, baseUrl: server.baseUrl });
  const done = host.finish(RUN);
  const at = (taskId: string) => ({ runId: RUN, taskId, sample: 0, attempt: 1 });
  const exists = async (key: string) => (await host.store.get(key)) !== null;
  await until(() => server.of('Do calling.').some(({ turn }) => turn === 1));
  await until(() => exists(keys.toolExec(at('commanding'), 0, 1, 0)));
  await until(() => exists(keys.stepExec(at('verifying'), 0, 'tests')));
  await until(async () => (await host.store.children(keys.failures(at('waiting'), 0, 1))).length > 0);
  await host.runs.cancel(RUN);
  document = await done;
}, 120_000);
afterAll(async () => {
  await server.close();
  await host.stop();
});

describe('a run that is cancelled', () => {
  it.each(PHASES)(
    'ends a rollout that is %s as cancelled, without a score, at its first attempt',
    (taskId) => {
      expect(document.rollouts.find((rollout) => rollout.taskId === taskId)).toMatchObject({
        stopReason: 'cancelled',
        reward: null,
        rewards: {},
        failureClass: 'operator',
        attempt: 1,
      });
    },
  );

  it.each(['calling', 'commanding', 'waiting'])(
    'keeps what a rollout that was %s had done',
    async (taskId) => {
      const rollout = document.rollouts.find((found) => found.taskId === taskId);
      expect(rollout?.turns).toBeGreaterThanOrEqual(1);
      const trajectory = await host.store.get(keys.trajectory({ runId: RUN, taskId, sample: 0 }));
      expect(Buffer.from(trajectory ?? []).toString('utf8')).toContain('echo first');
    },
  );

  it('waits for none of them to end by itself', () => {
    expect(document.run.status).toBe('cancelled');
    expect(document.summary).toMatchObject({ nCancelled: PHASES.length, nOpen: 0 });
  });

  it('leaves a record of every request', async () => {
    const { failed } = await expectEveryRequestAccounted(host.store, RUN, server);
    expect(failed.length).toBeGreaterThanOrEqual(2);
  });
});
