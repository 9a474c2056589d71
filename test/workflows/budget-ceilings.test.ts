import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LimitChanges } from '../../src/core/run/limits.js';
import { keys } from '../../src/store/keys.js';
import { amendLimits } from '../../src/store/limits.js';
import { limitChangesSchema } from '../../src/store/records/limits.schema.js';
import { readRun } from '../../src/store/runs.js';
import { expectEveryRequestAccounted } from '../support/call-accounts.js';
import { answerTest, inlineSteps, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { MODEL_RUN, modelServer, runAgainst } from '../support/model-run.js';
import { type Answer, completes, type SeenCall } from '../support/model-server.js';
import { until } from '../support/until.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker();
});
afterAll(() => host.stop());

const TURN_TOKENS = 2_000;
const usage = { prompt_tokens: TURN_TOKENS - 500, completion_tokens: 500 };
const works = completes({
  calls: [{ name: 'terminal', arguments: { command: 'mkdir -p /app; echo 42 > /app/answer' } }],
  usage,
});
/** Ends by itself after five turns: 10,000 tokens. */
const fiveTurns = ({ turn }: SeenCall): Answer => (turn < 4 ? works : completes({ content: 'Done.', usage }));

const HEALTHCHECK = { intervalMs: 20, timeoutMs: 2_000, startPeriodMs: 0, startIntervalMs: 20, retries: 2 };

const task = (taskId: string) => inlineTask({ taskId, test: answerTest('42') });
const sealed = async (runId: string, taskId: string, samples: number) => {
  let found = 0;
  for (let sample = 0; sample < samples; sample++)
    if ((await host.store.get(keys.result({ runId, taskId, sample }))) !== null) found += 1;
  return found;
};
async function raise(runId: string, changes: Partial<LimitChanges>): Promise<void> {
  await amendLimits(host.store, runId, limitChangesSchema.parse(changes), Date.now);
  await host.runs.amend(runId, (await readRun(host.store, runId)).config, true);
}
const ends = (runId: string) => host.runs.wait(runId, AbortSignal.timeout(60_000));

describe('a ceiling of each rollout', () => {
  it('stops a rollout before the call that would go over it, and its work is scored', async () => {
    const { rollouts, server } = await runAgainst(host, 'each', [await task('one')], fiveTurns, {
      samples: 3,
      maxTokens: 500,
      rolloutBudgetTokens: 7_000,
    });
    expect(rollouts).toHaveLength(3);
    for (const { stopReason, reward, usage: used } of rollouts) {
      expect({ stopReason, reward }).toEqual({ stopReason: 'token_budget', reward: 1 });
      expect(used.promptTokens + used.completionTokens).toBeLessThanOrEqual(7_000);
    }
    await expectEveryRequestAccounted(host.store, 'each', server);
  });

  it('is that of all its attempts: a failure of the infrastructure is no score when nothing is left', async () => {
    // Two turns of the first step, then a service that the second step needs is never well.
    const twoTurns = ({ turn }: SeenCall): Answer =>
      turn < 1 ? works : completes({ content: 'Done.', usage });
    const sick = { ...HEALTHCHECK, command: 'false' };
    const loaded = await inlineSteps({
      taskId: 'one',
      steps: [
        { name: 'first', test: answerTest('42') },
        { name: 'second', test: answerTest('42'), step: { healthcheck: sick } },
      ],
    });
    const none = await runAgainst(host, 'none-left', [loaded], twoTurns, {
      maxTokens: 500,
      rolloutBudgetTokens: 4_200,
    });
    expect(none.rollouts[0]).toMatchObject({ stopReason: 'provision_error', reward: null, attempts: 1 });
    const little = await runAgainst(host, 'little-left', [loaded], twoTurns, {
      maxTokens: 500,
      rolloutBudgetTokens: 4_700,
    });
    expect(little.rollouts[0]).toMatchObject({
      stopReason: 'llm_error',
      reward: null,
      attempts: 2,
      failure: { code: 'budget_spent' },
    });
    expect(little.server.seen).toHaveLength(2);
  });
});

describe('a ceiling of each group', () => {
  it('holds back what has not begun while other groups go on, and lets it go on when it is raised', async () => {
    const server = await modelServer(fiveTurns);
    await host.plan('groups', [await task('one'), await task('two')], {
      ...MODEL_RUN,
      baseUrl: server.baseUrl,
      samples: 4,
      concurrency: 1,
      maxTokens: 500,
      groupBudgetTokens: 20_500,
    });
    await host.runs.start('groups');
    await until(async () => (await host.runs.progress('groups'))?.reason === 'group_budget', {
      limitMs: 60_000,
    });
    // Two of four had room, of each task: the others wait, and one at a time did not stop at the first task.
    expect([await sealed('groups', 'one', 4), await sealed('groups', 'two', 4)]).toEqual([2, 2]);
    expect(server.seen).toHaveLength(20);
    await raise('groups', { groupBudgetTokens: 60_000 });
    expect(await ends('groups')).toBe('finished');
    const { rollouts } = await host.document('groups');
    expect(rollouts.map(({ stopReason }) => stopReason)).toEqual(Array(8).fill('natural'));
    await expectEveryRequestAccounted(host.store, 'groups', server);
  });
});

describe('a ceiling of the run', () => {
  it('pauses it, says why, and lets it go on as soon as it is raised', async () => {
    const server = await modelServer(fiveTurns);
    await host.plan('raised', [await task('one')], {
      ...MODEL_RUN,
      baseUrl: server.baseUrl,
      samples: 6,
      concurrency: 2,
      maxTokens: 500,
      budgetTokens: 22_000,
    });
    await host.runs.start('raised');
    await until(async () => (await host.runs.progress('raised'))?.reason === 'token_budget', {
      limitMs: 60_000,
    });
    expect(await host.runs.progress('raised')).toMatchObject({ status: 'paused' });
    await raise('raised', { budgetTokens: 200_000 });
    expect(await ends('raised')).toBe('finished');
    const { rollouts } = await host.document('raised');
    expect(rollouts).toHaveLength(6);
    expect(rollouts.every(({ reward }) => reward === 1)).toBe(true);
    await expectEveryRequestAccounted(host.store, 'raised', server);
  });

  it('does not undo by being raised what a person has paused', async () => {
    const server = await modelServer(fiveTurns);
    await host.plan('mine', [await task('one')], {
      ...MODEL_RUN,
      baseUrl: server.baseUrl,
      samples: 2,
      concurrency: 1,
      maxTokens: 500,
      budgetTokens: 1_000,
    });
    await host.runs.start('mine');
    await until(async () => (await host.runs.progress('mine'))?.reason === 'token_budget');
    await host.runs.pause('mine');
    await raise('mine', { budgetTokens: 100_000 });
    expect(await host.runs.progress('mine')).toMatchObject({ status: 'paused', reason: 'person' });
    expect(server.seen).toHaveLength(0);
    await host.runs.resume('mine');
    expect(await ends('mine')).toBe('finished');
  });
});
