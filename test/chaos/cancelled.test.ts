import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunDocument } from '../../src/records/summary.js';
import { keys } from '../../src/store/keys.js';
import { expectEveryRequestAccounted } from '../support/call-accounts.js';
import { answerTest, inlineSteps, inlineTask } from '../support/inline-task.js';
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
import { childrenOf } from './support/processes.js';
import { noteTimes } from './support/recovery.js';

const RUN = 'cancelled';
const SAMPLES = 4;
/** Where each rollout is when the run is cancelled. */
const PHASES = ['calling', 'commanding', 'verifying', 'waiting', 'placing', 'retrying'] as const;
/** Beyond the window: the paused and the not yet begun. */
const CONCURRENCY = SAMPLES * PHASES.length;
const CLEAN_MS = 10_000;
const SICK = { command: 'false', intervalMs: 50, timeoutMs: 1_000, startIntervalMs: 50 };

function script(call: SeenCall): Answer {
  const opening = call.messages.map(({ content }) => content ?? '').join('\n');
  if (opening.includes('Do verifying.') || opening.includes('Do retrying.')) return says('Done.');
  if (call.turn === 0) return runs('echo first > /app/first');
  if (opening.includes('Do commanding.')) return runs('touch /app/begun; sleep 300');
  if (opening.includes('Do calling.')) return stalls;
  // Nobody is let through to an endpoint that asks to be left alone: first those that are to be there.
  if (!everybodyIsThere()) return runs('sleep 0.2');
  refused += 1;
  return refuses(429, 'come back later', { headers: { 'retry-after': '300' } });
}

let refused = 0;
const at = (taskId: string, turn: number) =>
  server.of(`Do ${taskId}.`).filter((call) => call.turn === turn).length;
const everybodyIsThere = () =>
  at('calling', 1) === SAMPLES &&
  at('commanding', 1) === SAMPLES &&
  at('waiting', 0) === SAMPLES &&
  at('verifying', 0) === SAMPLES &&
  at('retrying', 0) >= SAMPLES;

/** A place that is never ready, tests that never end, and a second step that fails again and again. */
function taskOf(taskId: string) {
  if (taskId === 'retrying')
    return inlineSteps({
      image: 'host',
      taskId,
      steps: [
        { name: 'first', instruction: 'Do retrying.', test: answerTest('42') },
        {
          name: 'second',
          test: answerTest('42'),
          step: { healthcheck: { ...SICK, startPeriodMs: 0, retries: 1 } },
        },
      ],
    });
  const never = { ...SICK, startPeriodMs: 600_000, retries: 3 };
  return inlineTask({
    image: 'host',
    taskId,
    test: `#!/bin/sh\n${taskId === 'verifying' ? 'sleep 300' : 'true'}\n`,
    verifier: { timeoutMs: 400_000 },
    sandbox: { healthcheck: taskId === 'placing' ? never : null },
  });
}

let host: LongrunHost;
let server: ModelServer;
let document: RunDocument;
let tookMs: number;

beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker({ capacity: CONCURRENCY });
  server = await ModelServer.start(script);
  await host.plan(RUN, [...(await Promise.all(PHASES.map(taskOf))), await taskOf('unbegun')], {
    ...MODEL_RUN,
    baseUrl: server.baseUrl,
    sandbox: 'bubblewrap',
    samples: SAMPLES,
    concurrency: CONCURRENCY,
    maxAttempts: 20,
  });
  const done = host.finish(RUN);
  const key = (taskId: string, sample: number) => ({ runId: RUN, taskId, sample, attempt: 1 });
  const all = (taskId: string, keyOf: (sample: number) => string) =>
    until(
      async () => {
        for (let sample = 0; sample < SAMPLES; sample++)
          if ((await host.store.children(keyOf(sample))).length === 0) return false;
        return true;
      },
      { limitMs: 120_000, what: `every rollout of ${taskId} is there` },
    );
  await until(everybodyIsThere, { limitMs: 90_000, what: 'all that ask the model have asked it' });
  await all('commanding', (sample) => `${keys.turn(key('commanding', sample), 0, 1)}/tools/0`);
  await all('verifying', (sample) => `${keys.step(key('verifying', sample), 0)}/exec`);
  await until(() => refused > 0, { limitMs: 60_000, what: 'the endpoint asks to be left alone' });
  await until(async () => (await host.store.get(keys.attemptRecord(key('retrying', 0)))) !== null, {
    what: 'an attempt has failed that is tried again',
  });
  await host.runs.pause(RUN);
  const begun = Date.now();
  await host.runs.cancel(RUN);
  document = await done;
  tookMs = Date.now() - begun;
  noteTimes('run cancelled (until it has ended)', [tookMs]);
}, 280_000);
afterAll(async () => {
  await server.close();
  await host.stop();
});

describe('a run that is cancelled with rollouts in every phase', () => {
  it('is clean within ten seconds', async () => {
    expect(document.run.status).toBe('cancelled');
    expect(tookMs).toBeLessThan(CLEAN_MS);
    await until(() => childrenOf(process.pid).every(({ command }) => !command.startsWith('bwrap')));
  });

  it('ends them all as cancelled, without a score, the paused as well', () => {
    for (const taskId of PHASES) {
      const ended = document.rollouts.filter((rollout) => rollout.taskId === taskId);
      expect(ended).toHaveLength(SAMPLES);
      for (const rollout of ended)
        expect(rollout).toMatchObject({ stopReason: 'cancelled', reward: null, failureClass: 'operator' });
    }
  });

  it.each(['calling', 'commanding', 'waiting'])('keeps what those that were %s had done', async (taskId) => {
    for (let sample = 0; sample < SAMPLES; sample++) {
      const trajectory = await host.store.get(keys.trajectory({ runId: RUN, taskId, sample }));
      expect(Buffer.from(trajectory ?? []).toString('utf8')).toContain('echo first');
    }
  });

  it('leaves a record of every request', async () => {
    await expectEveryRequestAccounted(host.store, RUN, server);
  });
});
