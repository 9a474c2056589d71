import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluateWorkflowId, partitionWorkflowId } from '../../src/core/ids.js';
import { MINUTE_MS } from '../../src/core/time.js';
import { inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { until } from '../support/until.js';

/** A full partition and a rest. */
const TASKS = 16;
const SAMPLES = 20;
/** Temporal ends a workflow at 51,200 events; replaying a long history is what it costs before that. */
const MOST_EVENTS = 10_000;

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker({ concurrency: 64 });
});
afterAll(() => host.stop());

describe('a run of several partitions', () => {
  it(
    'keeps the histories of run and partitions short, and every rollout has its result',
    async () => {
      const test = 'mkdir -p /logs/verifier; echo 1 > /logs/verifier/reward.txt\n';
      const tasks = await Promise.all(
        Array.from({ length: TASKS }, (_, n) => inlineTask({ taskId: `task-${n}`, test })),
      );
      await host.plan('many', tasks, {
        agent: 'nop',
        model: null,
        sandbox: 'memory',
        samples: SAMPLES,
        concurrency: 64,
      });
      await host.runs.start('many');
      const progress = async () => (await host.runs.progress('many'))?.done ?? 0;
      await until(async () => (await progress()) > 0);
      const early = await progress();
      expect(early).toBeLessThanOrEqual(await progress());
      expect(await host.runs.wait('many', AbortSignal.timeout(4 * MINUTE_MS))).toBe('finished');

      const { summary } = await host.document('many');
      expect(summary).toMatchObject({ nRollouts: TASKS * SAMPLES, nOpen: 0, meanReward: 1 });
      const events = async (id: string) =>
        (await host.client.workflow.getHandle(id).describe()).historyLength;
      // What the run pays per partition, and a partition per rollout: 5,000 rollouts are 17 partitions.
      expect(await events(evaluateWorkflowId('many'))).toBeLessThan((2 / 17) * MOST_EVENTS);
      for (const index of [0, 1])
        expect(await events(partitionWorkflowId('many', index))).toBeLessThan(MOST_EVENTS / 3);
      expect(await host.runs.progress('many')).toMatchObject({
        total: TASKS * SAMPLES,
        done: TASKS * SAMPLES,
        status: 'finished',
      });
    },
    5 * MINUTE_MS,
  );
});
