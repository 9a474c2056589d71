import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keys } from '../../src/store/keys.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';

let host: LongrunHost;

beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker();
});
afterAll(() => host.stop());

const solvable = (taskId: string) =>
  inlineTask({
    taskId,
    test: answerTest('42'),
    solution: '#!/bin/bash\nmkdir -p /app\necho 42 > /app/answer\n',
  });

describe('evaluate', () => {
  it('scores 1 for the oracle and seals every rollout', async () => {
    await host.plan('oracle-run', [await solvable('one'), await solvable('two')], {
      agent: 'oracle',
      samples: 3,
    });
    const { run, summary, rollouts } = await host.finish('oracle-run');
    expect(run.status).toBe('finished');
    expect(summary).toMatchObject({
      nRollouts: 6,
      nScored: 6,
      nInfrastructure: 0,
      nPassed: 6,
      meanReward: 1,
    });
    expect(rollouts.map((r) => r.rolloutId)).toEqual(
      ['one', 'two'].flatMap((task) => [0, 1, 2].map((sample) => `oracle-run/${task}/${sample}`)),
    );
    expect(new Set(rollouts.map((r) => r.stopReason))).toEqual(new Set(['natural']));
  });

  it('scores 0 for an agent that does nothing', async () => {
    await host.plan('nop-run', [await solvable('one')], { agent: 'nop' });
    const { summary } = await host.finish('nop-run');
    expect(summary).toMatchObject({ nScored: 1, nPassed: 0, meanReward: 0 });
  });

  it('drives a model through its turns and records each of them', async () => {
    await host.plan('model-run', [await solvable('one')], {
      agent: 'tool-calling',
      model: 'scripted/turns-4',
      samples: 2,
    });
    const { rollouts } = await host.finish('model-run');
    for (const rollout of rollouts) {
      expect(rollout).toMatchObject({
        stopReason: 'natural',
        reward: 0,
        lostCalls: 0,
        failedCalls: 0,
        attempts: 1,
      });
      expect(rollout.turns).toBeGreaterThanOrEqual(4);
      expect(rollout.usage.completionTokens).toBeGreaterThan(0);
      const key = { runId: 'model-run', taskId: 'one', sample: rollout.sample, attempt: 1 };
      expect(await host.store.children(keys.turns(key, 0))).toHaveLength(rollout.turns);
      expect(await host.store.get(keys.trajectory(key))).not.toBeNull();
    }
  });

  it('runs several partitions in one window', async () => {
    await host.plan('wide-run', [await solvable('one')], { agent: 'nop', samples: 320, concurrency: 40 });
    const { summary } = await host.finish('wide-run');
    expect(summary).toMatchObject({ nRollouts: 320, nScored: 320, nOpen: 0 });
  }, 240_000);

  it('does nothing when a finished run is started again', async () => {
    const before = await host.store.get(keys.summary('oracle-run'));
    const { run } = await host.finish('oracle-run');
    expect(run.status).toBe('finished');
    expect(await host.store.get(keys.summary('oracle-run'))).toEqual(before);
  });
});
