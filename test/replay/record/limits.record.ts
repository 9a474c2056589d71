import {
  budgetWorkflowId,
  evaluateWorkflowId,
  partitionWorkflowId,
  rolloutWorkflowId,
} from '../../../src/core/ids.js';
import type { LimitChanges } from '../../../src/core/run/limits.js';
import type { RunConfig } from '../../../src/core/run/run-config.schema.js';
import { amendLimits } from '../../../src/store/limits.js';
import { limitChangesSchema } from '../../../src/store/records/limits.schema.js';
import { readRun } from '../../../src/store/runs.js';
import type { LongrunHost } from '../../support/longrun-host.js';
import { MODEL_RUN, modelServer } from '../../support/model-run.js';
import { completes, runs } from '../../support/model-server.js';
import { until } from '../../support/until.js';
import { closed, recordingsOn, takenTurns, task } from './recordings.js';

const recording = recordingsOn((host) => host.startWorker({ sliceMs: 300 }));
const rolloutOf = (runId: string, sample = 0) => rolloutWorkflowId({ runId, taskId: 'one', sample });
const ENOUGH = 1_000_000;

async function amend(host: LongrunHost, runId: string, changes: Partial<LimitChanges>, raised: boolean) {
  await amendLimits(host.store, runId, limitChangesSchema.parse(changes), Date.now);
  await host.runs.amend(runId, (await readRun(host.store, runId)).config, raised);
}

/** Begins a run against an endpoint whose answers take 110 tokens each, two for a rollout. */
async function begin(host: LongrunHost, runId: string, tasks: string[], config: Partial<RunConfig>) {
  const server = await modelServer(({ turn }) =>
    turn < 1 ? runs('echo 42 > /app/answer') : completes({ content: 'Done.' }),
  );
  const at = { ...MODEL_RUN, baseUrl: server.baseUrl, maxTokens: 500 };
  await host.plan(runId, await Promise.all(tasks.map((taskId) => task(taskId))), { ...at, ...config });
  return { ended: host.finish(runId) };
}

const waitsFor = (host: LongrunHost, runId: string, reason: string) =>
  until(async () => (await host.runs.progress(runId))?.reason === reason);

recording(
  'a run whose window and standing in the pool are changed as it goes',
  {
    'evaluate-amended': evaluateWorkflowId('amended'),
    'partition-amended': partitionWorkflowId('amended', 0),
    'rollout-amended': rolloutOf('amended', 2),
  },
  async (host) => {
    const model = 'scripted/turns-10-delay-100ms';
    const standing = { priority: 4, weight: 3 };
    const window = { samples: 3, concurrency: 1 };
    await host.plan('amended', [await task('one')], { agent: 'tool-calling', model, ...window, ...standing });
    const done = host.finish('amended');
    await takenTurns(host, 'amended', 2);
    await amend(host, 'amended', { priority: 2, weight: 10, concurrency: 2 }, false);
    await host.runs.setConcurrency('amended', 2);
    await done;
  },
);

recording(
  'a run whose budget is spent before its first rollout is placed, and is raised',
  {
    'evaluate-budget': evaluateWorkflowId('placing'),
    'partition-budget': partitionWorkflowId('placing', 0),
    'rollout-held-placing': rolloutOf('placing'),
    'run-budget-finished': budgetWorkflowId({ runId: 'placing', taskId: null }),
  },
  async (host) => {
    const { ended } = await begin(host, 'placing', ['one'], {
      samples: 2,
      concurrency: 1,
      budgetTokens: 400,
    });
    await waitsFor(host, 'placing', 'token_budget');
    await amend(host, 'placing', { budgetTokens: ENOUGH }, true);
    await ended;
    await closed(host, budgetWorkflowId({ runId: 'placing', taskId: null }));
  },
);

recording(
  'a run whose budget has no room for the first call of a placed rollout, resumed in vain, then raised',
  {
    'evaluate-budget-resumed': evaluateWorkflowId('calling'),
    'rollout-held-calling': rolloutOf('calling'),
  },
  async (host) => {
    const { ended } = await begin(host, 'calling', ['one'], { budgetTokens: 1_000 });
    await waitsFor(host, 'calling', 'token_budget');
    await host.runs.resume('calling');
    await waitsFor(host, 'calling', 'token_budget');
    await amend(host, 'calling', { budgetTokens: ENOUGH }, true);
    await ended;
  },
);

recording(
  'a run of which all waits for the budgets of its groups to be raised',
  {
    'evaluate-group-held': evaluateWorkflowId('groups'),
    'partition-group-held': partitionWorkflowId('groups', 0),
    'rollout-group-held': rolloutOf('groups'),
    'run-budget-of-group': budgetWorkflowId({ runId: 'groups', taskId: 'one' }),
  },
  async (host) => {
    const { ended } = await begin(host, 'groups', ['one', 'two'], {
      samples: 2,
      concurrency: 1,
      groupBudgetTokens: 400,
    });
    await waitsFor(host, 'groups', 'group_budget');
    await amend(host, 'groups', { groupBudgetTokens: ENOUGH }, true);
    await ended;
    await closed(host, budgetWorkflowId({ runId: 'groups', taskId: 'one' }));
  },
);
