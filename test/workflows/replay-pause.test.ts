import { afterAll, beforeAll, expect, it } from 'vitest';
import { replayRolloutWorkflowId, replayWorkflowId } from '../../src/core/ids.js';
import { workflowQueue } from '../../src/core/run/queues.js';
import { keys } from '../../src/store/keys.js';
import { ReplayClient } from '../../src/temporal/replay-client.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { finished, planned } from '../support/replaying.js';
import { until } from '../support/until.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker({ sliceMs: 300 });
});
afterAll(() => host.stop());

const rolloutOf = (runId: string) => ({ runId, taskId: 'one', sample: 0 });

/** A run that was cancelled while its only rollout was at work, and a replay of that. */
async function replayOfCancelled(runId: string, model: string) {
  const task = await inlineTask({ taskId: 'one', test: answerTest('42') });
  await host.plan(runId, [task], { agent: 'tool-calling', model });
  const done = host.finish(runId);
  await hasTurns(runId, 1);
  await host.runs.cancel(runId);
  await done;
  return planned(host.store, runId, { failed: true });
}

const hasTurns = (runId: string, attempt: number) =>
  until(async () => (await host.store.children(keys.turns({ ...rolloutOf(runId), attempt }, 0))).length > 0);

/** What a workflow sent to others and when it knew that it had arrived, in the order of its history. */
async function messagesOf(workflowId: string): Promise<string[]> {
  const { events } = await host.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap((event) => {
    const sent = event.signalExternalWorkflowExecutionInitiatedEventAttributes?.signalName;
    if (sent) return [sent];
    return event.externalWorkflowExecutionSignaledEventAttributes ? ['arrived'] : [];
  });
}

it('a replay that is paused and carried on in one breath tells its rollouts in that order', async () => {
  const replay = await replayOfCancelled('breath', 'scripted/turns-12-delay-300ms');
  const { replayId } = replay;
  const client = new ReplayClient(host.client, host.store);
  await client.start('breath', replayId);
  await hasTurns('breath', 2);
  await host.worker?.shutdown();
  // Nobody works on it meanwhile, so that it hears both at once.
  await client.pause('breath', replayId);
  await client.start('breath', replayId);
  await host.startWorker({ sliceMs: 300 });
  const workflowId = replayWorkflowId('breath', replayId);
  await until(async () => (await messagesOf(workflowId)).length === 4);
  expect(await messagesOf(workflowId)).toEqual(['pause', 'arrived', 'resume', 'arrived']);
  await client.cancel('breath', replayId);
});

it('a replay whose rollout was started before leaves it what it is', async () => {
  const replay = await replayOfCancelled('before', 'scripted/turns-3-delay-100ms');
  const key = rolloutOf('before');
  const workflowId = replayRolloutWorkflowId(key, { replayId: replay.replayId, nth: 1 });
  const handle = await host.client.workflow.start('rollout', {
    workflowId,
    taskQueue: workflowQueue(),
    args: [{ ...key }],
  });
  await handle.terminate('stands for one that an earlier start left');
  const report = await finished(host, replay);
  expect(report.replay.status).toBe('finished');
  expect(report.rollouts).toMatchObject([{ counts: false }]);
});
