import { groupWorkflowId, partitionWorkflowId, runWorkflowId } from '../../../src/core/ids.js';
import type { LimitChanges } from '../../../src/core/run/limits.js';
import { workflowQueue } from '../../../src/core/run/queues.js';
import { keys } from '../../../src/store/keys.js';
import { amendLimits } from '../../../src/store/limits.js';
import { limitChangesSchema } from '../../../src/store/records/limits.schema.js';
import { readRun } from '../../../src/store/runs.js';
import type { LongrunHost } from '../../support/longrun-host.js';
import { MODEL_RUN, modelServer } from '../../support/model-run.js';
import { completes, refuses, runs, stalls } from '../../support/model-server.js';
import { until } from '../../support/until.js';
import { recordingsOn, SLOW, takenTurns, task } from './recordings.js';

const recording = recordingsOn((host) => host.startWorker({ sliceMs: 300 }));
const processOf = (runId: string) => runWorkflowId('process', runId);
const groupOf = (runId: string, index = 0) => groupWorkflowId({ runId, taskId: 'one', index });
const SEED = 10;

async function amend(host: LongrunHost, runId: string, changes: Partial<LimitChanges>, raised: boolean) {
  await amendLimits(host.store, runId, limitChangesSchema.parse(changes), Date.now);
  await host.runs.amend(runId, (await readRun(host.store, runId)).config, raised);
}

recording(
  'a run of groups that finishes',
  {
    'process-finished': processOf('grouped'),
    'partition-groups': partitionWorkflowId('grouped', 0),
    'group-closed': groupOf('grouped', 1),
  },
  async (host) => {
    const model = 'scripted/turns-3';
    const run = { agent: 'tool-calling', model, groupSize: 4, groups: 3, concurrency: 6 } as const;
    await host.plan('grouped', [await task('one'), await task('two')], run);
    await host.finish('grouped');
  },
);

recording(
  'a group larger than the window, which is then widened',
  { 'partition-groups-widened': partitionWorkflowId('wide', 0), 'group-widened': groupOf('wide') },
  async (host) => {
    await host.plan('wide', [await task('one')], { ...SLOW, groupSize: 4, concurrency: 1 });
    const done = host.finish('wide');
    await takenTurns(host, 'wide', 2);
    await host.runs.setConcurrency('wide', 3);
    await done;
  },
);

recording('a group that gives up its late member', { 'group-late': groupOf('late') }, async (host) => {
  const server = await modelServer(({ seed, turn }) => {
    if (seed === SEED + 2) return turn < 1 ? runs('true') : stalls;
    return turn < 1 ? runs('echo 42 > /app/answer') : completes({ content: 'Done.' });
  });
  await host.plan('late', [await task('one')], {
    ...MODEL_RUN,
    baseUrl: server.baseUrl,
    seed: SEED,
    groupSize: 3,
    groupPolicy: 'min-valid',
    minValid: 2,
    groupDeadlineMs: 1_500,
  });
  await host.finish('late');
});

recording(
  'a run of groups that is paused and resumed',
  {
    'process-paused': processOf('halted'),
    'partition-groups-paused': partitionWorkflowId('halted', 0),
    'group-paused': groupOf('halted'),
  },
  async (host) => {
    await host.plan('halted', [await task('one')], { ...SLOW, groupSize: 2, groups: 2, concurrency: 3 });
    const done = host.finish('halted');
    await takenTurns(host, 'halted', 2);
    await host.runs.pause('halted');
    await until(async () => (await host.runs.progress('halted'))?.status === 'paused');
    await host.runs.resume('halted');
    await done;
  },
);

recording(
  'a run of groups that is cancelled',
  {
    'process-cancelled': processOf('ended'),
    'partition-groups-cancelled': partitionWorkflowId('ended', 0),
    'group-cancelled': groupOf('ended'),
  },
  async (host) => {
    await host.plan('ended', [await task('one')], { ...SLOW, groupSize: 2, groups: 2, concurrency: 2 });
    const done = host.finish('ended');
    await takenTurns(host, 'ended', 2);
    await host.runs.cancel('ended');
    await done;
  },
);

recording(
  'a group that is started again after it was closed, and one whose members were sealed before',
  { 'group-sealed': groupOf('again'), 'group-recovered': groupOf('again', 1) },
  async (host) => {
    await host.plan('again', [await task('one')], { ...SLOW, groupSize: 2, groups: 2, concurrency: 3 });
    await host.runs.start('again');
    const sealed = async (sample: number) =>
      (await host.store.get(keys.result({ runId: 'again', taskId: 'one', sample }))) !== null;
    await until(
      async () => (await host.store.get(keys.group('again', 'one', 0))) !== null && !(await sealed(3)),
    );
    await host.runs.recover('again');
    await host.runs.wait('again', AbortSignal.timeout(60_000));
    const input = { runId: 'again', taskId: 'one', index: 0, incarnation: 3, policy: {}, atOnce: 2 };
    await host.client.workflow.execute('group', {
      workflowId: groupOf('again'),
      taskQueue: workflowQueue(),
      args: [input],
    });
  },
);

recording(
  'a run that its dead groups have paused, resumed by a person',
  { 'process-dead-groups': processOf('dead'), 'partition-dead-groups': partitionWorkflowId('dead', 0) },
  async (host) => {
    let broken = true;
    const server = await modelServer(() =>
      broken ? refuses(401, 'no such key') : completes({ content: 'Done.' }),
    );
    const groups = { groupSize: 2, groups: 5, deadGroups: 2, concurrency: 2 };
    await host.plan('dead', [await task('one')], { ...MODEL_RUN, baseUrl: server.baseUrl, ...groups });
    const done = host.finish('dead');
    await until(async () => (await host.runs.progress('dead'))?.reason === 'dead_groups');
    broken = false;
    await host.runs.resume('dead');
    await done;
  },
);

recording(
  'members that wait for the budget of their task to be raised',
  {
    'process-group-held': processOf('held'),
    'partition-groups-held': partitionWorkflowId('held', 0),
    'group-held': groupOf('held'),
  },
  async (host) => {
    const server = await modelServer(() => completes({ content: 'Done.' }));
    await host.plan('held', [await task('one'), await task('two')], {
      ...MODEL_RUN,
      baseUrl: server.baseUrl,
      maxTokens: 500,
      groupSize: 2,
      concurrency: 2,
      groupBudgetTokens: 400,
    });
    const done = host.finish('held');
    await until(async () => (await host.runs.progress('held'))?.reason === 'group_budget');
    await amend(host, 'held', { groupBudgetTokens: 1_000_000 }, true);
    await done;
  },
);
