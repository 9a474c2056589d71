import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, it } from 'vitest';
import { evaluateWorkflowId, partitionWorkflowId, rolloutWorkflowId } from '../../src/core/ids.js';
import { keys } from '../../src/store/keys.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { until } from '../support/until.js';

/**
 * Records the histories that replay.test.ts replays: `npm run record-histories`, after the workflow
 * ABI was raised on purpose. Real server, real worker, in-memory sandbox.
 */
const FOLDER = fileURLToPath(new URL('./histories', import.meta.url));

let host: LongrunHost;
beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true });
  host = await LongrunHost.start();
  await host.startWorker({ sliceMs: 300 });
});
afterAll(() => host.stop());

const SLOW = { agent: 'tool-calling', model: 'scripted/turns-30-delay-100ms' } as const;
const task = (taskId: string, test = answerTest('42')) => inlineTask({ taskId, test });
const rolloutOf = (runId: string) => rolloutWorkflowId({ runId, taskId: 'one', sample: 0 });

async function record(name: string, workflowId: string): Promise<void> {
  const history = await host.client.workflow.getHandle(workflowId).fetchHistory();
  const text = JSON.stringify({ workflow_id: workflowId, history: JSON.parse(historyToJSON(history)) });
  writeFileSync(`${FOLDER}/${name}.json.gz`, gzipSync(text, { level: 9 }));
}

async function takenTurns(runId: string, least: number): Promise<void> {
  const key = { runId, taskId: 'one', sample: 0, attempt: 1 };
  await until(async () => (await host.store.children(keys.turns(key, 0))).length >= least);
}

it('records runs that finish', async () => {
  await host.plan('agent', [await task('one')], {
    agent: 'tool-calling',
    model: 'scripted/turns-5',
    samples: 3,
  });
  await host.finish('agent');
  await record('rollout-agent', rolloutOf('agent'));
  await record('partition-finished', partitionWorkflowId('agent', 0));
  await record('evaluate-finished', evaluateWorkflowId('agent'));
});

it('records an attempt that fails for infrastructure reasons and is not tried again', async () => {
  await host.plan('infra', [await task('one', '#!/bin/sh\ntrue\n')], { agent: 'nop' });
  await host.finish('infra');
  await record('rollout-infrastructure', rolloutOf('infra'));
});

it('records an attempt whose sandbox is lost, and the next one', async () => {
  await host.plan('retry', [await task('one')], { ...SLOW });
  const done = host.finish('retry');
  await takenTurns('retry', 3);
  // In-memory sandboxes end with their worker.
  await host.worker?.shutdown();
  await host.startWorker({ sliceMs: 300 });
  await done;
  await record('rollout-retried', rolloutOf('retry'));
});

it('records a run that is paused and resumed', async () => {
  await host.plan('paused', [await task('one')], { ...SLOW, samples: 2 });
  const done = host.finish('paused');
  await takenTurns('paused', 2);
  await host.runs.pause('paused');
  await until(async () => (await host.runs.progress('paused'))?.status === 'paused');
  await host.runs.resume('paused');
  await done;
  await record('rollout-paused', rolloutOf('paused'));
  await record('partition-paused', partitionWorkflowId('paused', 0));
  await record('evaluate-paused', evaluateWorkflowId('paused'));
});

it('records a run that is cancelled', async () => {
  await host.plan('cancelled', [await task('one')], { ...SLOW, samples: 2 });
  const done = host.finish('cancelled');
  await takenTurns('cancelled', 2);
  await host.runs.cancel('cancelled');
  await done;
  await record('rollout-cancelled', rolloutOf('cancelled'));
  await record('partition-cancelled', partitionWorkflowId('cancelled', 0));
  await record('evaluate-cancelled', evaluateWorkflowId('cancelled'));
});
