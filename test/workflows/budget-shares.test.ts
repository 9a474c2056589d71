import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { totalTokens } from '../../src/core/rollout/usage.js';
import { spentSoFar } from '../../src/rollout/calls/spent-so-far.js';
import { keys } from '../../src/store/keys.js';
import { amendLimits } from '../../src/store/limits.js';
import { limitChangesSchema } from '../../src/store/records/limits.schema.js';
import { readChildren, readRecord } from '../../src/store/records/records.js';
import { callIntentSchema, placementSchema } from '../../src/store/records/records.schema.js';
import { plannedRollouts, readPlan, readRun } from '../../src/store/runs.js';
import { expectEveryRequestAccounted } from '../support/call-accounts.js';
import { type Child, spawnChild } from '../support/child.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { MODEL_RUN, modelServer } from '../support/model-run.js';
import { type Answer, after, completes, type SeenCall } from '../support/model-server.js';
import { until } from '../support/until.js';

const WORKER = new URL('../support/host-worker.child.ts', import.meta.url);
const AT_ONCE = 32;
const ROLLOUTS = 64;
const TURNS = 5;
const PROMPT = 3_000;
const COMPLETION = 500;
const CALL = PROMPT + COMPLETION;
const CEILING = 500_000;

let host: LongrunHost;
const workers: Child[] = [];
const startHost = async (name: string) => {
  const worker = spawnChild(WORKER, [host.stateDir, name, 'all', '20']);
  workers.push(worker);
  expect(await worker.line()).toBe('ready');
  return worker;
};
beforeAll(async () => {
  host = await LongrunHost.start();
  await Promise.all([startHost('host-a'), startHost('host-b')]);
});
afterAll(async () => {
  for (const worker of workers) await worker.kill();
  await host.stop();
});

/** Says that a prompt had far more tokens than any estimate of it. */
const answer = ({ turn }: SeenCall): Answer => {
  const usage = { prompt_tokens: PROMPT, completion_tokens: COMPLETION };
  const calls = [{ name: 'terminal', arguments: { command: 'mkdir -p /app; echo 42 > /app/answer' } }];
  return after(100, turn < TURNS - 1 ? completes({ calls, usage }) : completes({ content: 'Done.', usage }));
};

async function raise(runId: string, budgetTokens: number): Promise<void> {
  await amendLimits(host.store, runId, limitChangesSchema.parse({ budgetTokens }), Date.now);
  await host.runs.amend(runId, (await readRun(host.store, runId)).config, true);
}

/** By how much a prompt had more tokens than was estimated, at most; and what was in the air at the worst. */
async function estimateError(runId: string): Promise<number> {
  let worst = 0;
  for (const rollout of plannedRollouts(runId, await readPlan(host.store, runId))) {
    for (const turn of await host.store.children(keys.turns({ ...rollout, attempt: 1 }, 0))) {
      const key = { ...rollout, attempt: 1 };
      const intents = await readChildren(host.store, callIntentSchema, keys.intents(key, 0, Number(turn)));
      for (const { value } of intents) worst = Math.max(worst, PROMPT - value.maxPromptTokens);
    }
  }
  return worst;
}

async function hostsOf(runId: string): Promise<Set<string | undefined>> {
  const hosts = new Set<string | undefined>();
  for (const rollout of plannedRollouts(runId, await readPlan(host.store, runId)))
    hosts.add(
      (await readRecord(host.store, placementSchema, keys.placement({ ...rollout, attempt: 1 })))?.hostId,
    );
  return hosts;
}

describe('a budget that two processes spend', () => {
  it('is kept by both together, used up, and carried on from when it is raised', {
    timeout: 300_000,
  }, async () => {
    const server = await modelServer(answer);
    const runId = 'shared';
    await host.plan(runId, [await inlineTask({ taskId: 'one', test: answerTest('42') })], {
      ...MODEL_RUN,
      baseUrl: server.baseUrl,
      samples: ROLLOUTS,
      concurrency: AT_ONCE,
      maxTokens: COMPLETION,
      budgetTokens: CEILING,
    });
    await host.runs.start(runId);
    await until(async () => (await host.runs.progress(runId))?.reason === 'token_budget', {
      limitMs: 120_000,
    });
    // What runs finishes what it may.
    const settled = async () => {
      const before = server.seen.length;
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      return server.seen.length === before;
    };
    await until(settled, { limitMs: 120_000 });
    const spent = server.seen.length * CALL;
    const error = await estimateError(runId);
    expect(error).toBeGreaterThan(500);
    expect(spent).toBeLessThanOrEqual(CEILING + error * AT_ONCE);
    expect(spent).toBeGreaterThan(CEILING * 0.9);
    expect((await spentSoFar(host.store, runId)).tokens).toBe(spent);
    await expectEveryRequestAccounted(host.store, runId, server);
    expect((await hostsOf(runId)).has('host-a')).toBe(true);
    expect((await hostsOf(runId)).has('host-b')).toBe(true);

    await raise(runId, 10 * CEILING);
    expect(await host.runs.wait(runId, AbortSignal.timeout(120_000))).toBe('finished');
    const { rollouts } = await host.document(runId);
    expect(rollouts).toHaveLength(ROLLOUTS);
    for (const { stopReason, reward } of rollouts) {
      expect(['natural', 'token_budget']).toContain(stopReason);
      expect(reward).toBe(1);
    }
    const recorded = rollouts.reduce((sum, { usage }) => sum + totalTokens(usage), 0);
    expect(recorded).toBe(server.seen.length * CALL);
    await expectEveryRequestAccounted(host.store, runId, server);
  });

  it('has back what a process held that was killed, and charges what it had in the air', {
    timeout: 300_000,
  }, async () => {
    const server = await modelServer(answer);
    const runId = 'killed';
    await host.plan(runId, [await inlineTask({ taskId: 'one', test: answerTest('42') })], {
      ...MODEL_RUN,
      baseUrl: server.baseUrl,
      samples: ROLLOUTS,
      concurrency: AT_ONCE,
      maxTokens: COMPLETION,
      budgetTokens: CEILING,
      hostLossMs: 2_000,
    });
    await host.runs.start(runId);
    await until(() => server.seen.length > 40, { limitMs: 60_000 });
    await workers.pop()?.kill();
    await until(async () => (await host.runs.progress(runId))?.reason === 'token_budget', {
      limitMs: 150_000,
    });
    const { tokens } = await spentSoFar(host.store, runId);
    expect(tokens).toBeLessThanOrEqual(CEILING + (await estimateError(runId)) * AT_ONCE);
    // Without what the records gave back, half of the budget would have gone with the process.
    expect(tokens).toBeGreaterThan(CEILING * 0.85);
    expect(server.seen.length * CALL).toBeLessThanOrEqual(CEILING + (await estimateError(runId)) * AT_ONCE);
    await host.runs.cancel(runId);
    await host.runs.wait(runId, AbortSignal.timeout(60_000));
  });
});
