import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunConfig } from '../../src/core/run/run-config.schema.js';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { placementSchema } from '../../src/store/records/records.schema.js';
import { plannedRollouts, readPlan } from '../../src/store/runs.js';
import { answerTest, inlineSteps, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { MODEL_RUN, modelServer } from '../support/model-run.js';
import { after, says } from '../support/model-server.js';
import { until } from '../support/until.js';

const CAPACITY = 2;
const SAMPLES = 24;
const LIMIT_MS = 180_000;

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker({ role: 'orchestrator' });
});
/** Only now the placements that wait are taken. */
async function serve<T>(work: () => Promise<T>): Promise<T> {
  const worker = await host.startWorker({ role: 'host', capacity: CAPACITY });
  try {
    return await work();
  } finally {
    await worker.shutdown();
  }
}
afterAll(() => host.stop());

async function plan(runId: string, config: Partial<RunConfig>): Promise<void> {
  const server = await modelServer(() => after(50, says('Done.')));
  const task = await inlineTask({ taskId: 'one', test: answerTest('42') });
  const samples = { samples: SAMPLES, concurrency: SAMPLES };
  await host.plan(runId, [task], { ...MODEL_RUN, baseUrl: server.baseUrl, ...samples, ...config });
}

/** Whose placements came one after the other. */
async function order(runs: readonly string[]): Promise<string[]> {
  const placed: { runId: string; at: number }[] = [];
  for (const runId of runs)
    for (const rollout of plannedRollouts(runId, await readPlan(host.store, runId))) {
      const placement = await readRecord(
        host.store,
        placementSchema,
        keys.placement({ ...rollout, attempt: 1 }),
      );
      if (placement !== null) placed.push({ runId, at: placement.createdAt });
    }
  return placed.sort((a, b) => a.at - b.at).map(({ runId }) => runId);
}

const count = (placed: readonly string[], runId: string) => placed.filter((other) => other === runId).length;
const finished = (runId: string) => host.runs.wait(runId, AbortSignal.timeout(LIMIT_MS));

/** All placements of a run wait in the pool: their workflows are there, and no host takes them yet. */
async function waiting(rollouts: number): Promise<void> {
  const query = "WorkflowType = 'rollout' AND ExecutionStatus = 'Running'";
  await until(async () => (await host.client.workflow.count(query)).count >= rollouts, {
    limitMs: LIMIT_MS,
    what: `${rollouts} rollouts wait for a place`,
  });
}

describe('two runs that share a pool', () => {
  it('share it in proportion to their weights while both have work', { timeout: LIMIT_MS }, async () => {
    await plan('heavy', { weight: 3 });
    await plan('light', { weight: 1 });
    for (const runId of ['light', 'heavy']) await host.runs.start(runId);
    await waiting(2 * SAMPLES);
    await serve(() => Promise.all([finished('heavy'), finished('light')]));
    // 3 : 1 would be 18 of the first 24.
    const early = (await order(['heavy', 'light'])).slice(0, SAMPLES);
    expect(count(early, 'heavy')).toBeGreaterThanOrEqual(14);
    expect(count(early, 'heavy')).toBeLessThanOrEqual(22);
  });

  it('are served by their priority first, whoever came first', { timeout: LIMIT_MS }, async () => {
    await plan('patient', { priority: 3, weight: 100 });
    await plan('urgent', { priority: 1 });
    await host.runs.start('patient');
    await waiting(SAMPLES);
    await host.runs.start('urgent');
    await waiting(2 * SAMPLES);
    await serve(() => Promise.all([finished('patient'), finished('urgent')]));
    const early = (await order(['patient', 'urgent'])).slice(0, SAMPLES);
    expect(count(early, 'urgent')).toBeGreaterThanOrEqual(SAMPLES - 4);
  });
});

describe('a rollout that is tried again', () => {
  it('goes before the rollouts of its run that have not begun', { timeout: LIMIT_MS }, async () => {
    const server = await modelServer(() => after(50, says('Done.')));
    const sick = {
      command: 'false',
      intervalMs: 20,
      timeoutMs: 2_000,
      startPeriodMs: 0,
      startIntervalMs: 20,
      retries: 1,
    };
    const fails = await inlineSteps({
      taskId: 'fails',
      steps: [
        { name: 'first', test: answerTest('42') },
        { name: 'second', test: answerTest('42'), step: { healthcheck: sick } },
      ],
    });
    const well = await inlineTask({ taskId: 'well', test: answerTest('42') });
    await host.plan('again', [fails, well], {
      ...MODEL_RUN,
      baseUrl: server.baseUrl,
      samples: SAMPLES,
      maxAttempts: 2,
      concurrency: 2 * SAMPLES,
    });
    await host.runs.start('again');
    await waiting(2 * SAMPLES);
    await serve(() => finished('again'));
    const at = async (taskId: string, sample: number, attempt: number) =>
      (
        await readRecord(
          host.store,
          placementSchema,
          keys.placement({ runId: 'again', taskId, sample, attempt }),
        )
      )?.createdAt ?? 0;
    const samples = Array.from({ length: SAMPLES }, (_, sample) => sample);
    const again = await Promise.all(samples.map((sample) => at('fails', sample, 2)));
    const fresh = await Promise.all(samples.map((sample) => at('well', sample, 1)));
    const first = Math.min(...again);
    expect(fresh.filter((time) => time > first).length).toBeGreaterThan(SAMPLES / 2);
  });
});
