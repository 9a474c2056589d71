import { evaluateWorkflowId, partitionWorkflowId, rolloutWorkflowId } from '../../../src/core/ids.js';
import { answerTest, inlineSteps } from '../../support/inline-task.js';
import { until } from '../../support/until.js';
import { recordingsOn, SLOW, takenTurns, task } from './recordings.js';

const recording = recordingsOn((host) => host.startWorker({ sliceMs: 300 }));
const rolloutOf = (runId: string) => rolloutWorkflowId({ runId, taskId: 'one', sample: 0 });

recording(
  'runs that finish',
  {
    'rollout-agent': rolloutOf('agent'),
    'partition-finished': partitionWorkflowId('agent', 0),
    'evaluate-finished': evaluateWorkflowId('agent'),
  },
  async (host) => {
    const model = 'scripted/turns-5';
    await host.plan('agent', [await task('one')], { agent: 'tool-calling', model, samples: 3 });
    await host.finish('agent');
  },
);

recording('a rollout of a task with two steps', { 'rollout-steps': rolloutOf('steps') }, async (host) => {
  const steps = ['first', 'second'].map((name) => ({ name, test: answerTest('42') }));
  const two = await inlineSteps({ taskId: 'one', steps });
  await host.plan('steps', [two], { agent: 'tool-calling', model: 'scripted/turns-3' });
  await host.finish('steps');
});

recording(
  'a run of two partitions, which share its window',
  { 'evaluate-partitions': evaluateWorkflowId('large') },
  async (host) => {
    await host.plan('large', [await task('one')], { agent: 'nop', samples: 310, concurrency: 24 });
    await host.finish('large');
  },
);

recording(
  'an attempt that fails for infrastructure reasons and is not tried again',
  { 'rollout-infrastructure': rolloutOf('infra') },
  async (host) => {
    await host.plan('infra', [await task('one', '#!/bin/sh\ntrue\n')], { agent: 'nop' });
    await host.finish('infra');
  },
);

recording(
  'an attempt whose sandbox is lost, and the next one',
  { 'rollout-retried': rolloutOf('retry') },
  async (host) => {
    await host.plan('retry', [await task('one')], { ...SLOW });
    const done = host.finish('retry');
    await takenTurns(host, 'retry', 3);
    // In-memory sandboxes end with their worker.
    await host.worker?.shutdown();
    await host.startWorker({ sliceMs: 300 });
    await done;
  },
);

recording(
  'a run that is paused and resumed',
  {
    'rollout-paused': rolloutOf('paused'),
    'partition-paused': partitionWorkflowId('paused', 0),
    'evaluate-paused': evaluateWorkflowId('paused'),
  },
  async (host) => {
    await host.plan('paused', [await task('one')], { ...SLOW, samples: 2 });
    const done = host.finish('paused');
    await takenTurns(host, 'paused', 2);
    await host.runs.pause('paused');
    await until(async () => (await host.runs.progress('paused'))?.status === 'paused');
    await host.runs.resume('paused');
    await done;
  },
);

recording(
  'a run that is cancelled',
  {
    'rollout-cancelled': rolloutOf('cancelled'),
    'partition-cancelled': partitionWorkflowId('cancelled', 0),
    'evaluate-cancelled': evaluateWorkflowId('cancelled'),
  },
  async (host) => {
    await host.plan('cancelled', [await task('one')], { ...SLOW, samples: 2 });
    const done = host.finish('cancelled');
    await takenTurns(host, 'cancelled', 2);
    await host.runs.cancel('cancelled');
    await done;
  },
);
