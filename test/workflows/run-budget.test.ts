import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keys } from '../../src/store/keys.js';
import { expectEveryRequestAccounted } from '../support/call-accounts.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { MODEL_RUN, modelServer } from '../support/model-run.js';
import { type Answer, after, completes, type SeenCall } from '../support/model-server.js';
import { until } from '../support/until.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker();
});
afterAll(() => host.stop());

const TURN_TOKENS = 2_000;
/** Writes the answer again and again: 2,000 tokens a turn. */
const costly = (_: SeenCall): Answer =>
  after(
    30,
    completes({
      calls: [{ name: 'terminal', arguments: { command: 'mkdir -p /app; echo 42 > /app/answer' } }],
      usage: { prompt_tokens: TURN_TOKENS - 500, completion_tokens: 500 },
    }),
  );

const task = () => inlineTask({ taskId: 'one', test: answerTest('42') });
const results = async (runId: string, samples: number) => {
  const found = [];
  for (let sample = 0; sample < samples; sample++)
    if ((await host.store.get(keys.result({ runId, taskId: 'one', sample }))) !== null) found.push(sample);
  return found;
};

describe('a run with a ceiling', () => {
  it('in tokens stops the rollouts in flight, scores them, and holds back the others', async () => {
    const server = await modelServer(costly);
    await host.plan('tokens', [await task()], {
      ...MODEL_RUN,
      baseUrl: server.baseUrl,
      samples: 6,
      concurrency: 2,
      maxTokens: 500,
      budgetTokens: 20_000,
    });
    await host.runs.start('tokens');
    await until(async () => (await host.runs.progress('tokens'))?.status === 'paused');
    await until(async () => (await results('tokens', 6)).length === 2);
    const { rollouts } = await host.document('tokens');
    expect(rollouts).toHaveLength(2);
    for (const rollout of rollouts)
      expect(rollout).toMatchObject({ stopReason: 'token_budget', reward: 1, failureClass: 'agent' });
    const spent = server.seen.length * TURN_TOKENS;
    expect(spent).toBeGreaterThan(14_000);
    expect(spent).toBeLessThanOrEqual(20_000);
    await expectEveryRequestAccounted(host.store, 'tokens', server);

    // Resumed without more money it is paused again, and nobody is asked anything.
    const asked = server.seen.length;
    await host.runs.resume('tokens');
    await until(async () => (await host.runs.progress('tokens'))?.status === 'paused');
    expect(server.seen).toHaveLength(asked);
    expect(await results('tokens', 6)).toHaveLength(2);
    await host.runs.cancel('tokens');
    await host.runs.wait('tokens', AbortSignal.timeout(30_000));
  });

  it('in money does the same', async () => {
    const server = await modelServer(costly);
    await host.plan('money', [await task()], {
      ...MODEL_RUN,
      baseUrl: server.baseUrl,
      samples: 2,
      concurrency: 1,
      maxTokens: 500,
      budgetUsd: 0.02,
      // Each turn costs 1,500 × 1 + 500 × 2 = 2,500 millionths of a dollar.
      prices: { 'test-model': { input: 1, cachedInput: null, output: 2 } },
    });
    await host.runs.start('money');
    await until(async () => (await host.runs.progress('money'))?.status === 'paused');
    const { rollouts } = await host.document('money');
    expect(rollouts).toHaveLength(1);
    expect(rollouts[0]).toMatchObject({ stopReason: 'cost_budget', reward: 1 });
    expect(rollouts[0]?.costUsd).toBeCloseTo(server.seen.length * 0.0025, 6);
    expect(rollouts[0]?.costUsd).toBeLessThanOrEqual(0.02);
    expect(server.seen.length).toBeGreaterThanOrEqual(6);
    await host.runs.cancel('money');
    await host.runs.wait('money', AbortSignal.timeout(30_000));
  });

  it('waits for calls in flight before it says that a call does not fit any more', async () => {
    // The bound of one call is most of the ceiling, what it takes is little: one after the other they all fit.
    const server = await modelServer(({ turn }) =>
      after(
        50,
        completes(
          turn < 2 ? { calls: [{ name: 'terminal', arguments: { command: 'true' } }] } : { content: 'Done.' },
        ),
      ),
    );
    await host.plan('bounds', [await task()], {
      ...MODEL_RUN,
      baseUrl: server.baseUrl,
      samples: 3,
      concurrency: 3,
      maxTokens: 10_000,
      budgetTokens: 15_000,
    });
    const { rollouts } = await host.finish('bounds');
    expect(rollouts.map(({ stopReason }) => stopReason)).toEqual(['natural', 'natural', 'natural']);
    expect(server.seen).toHaveLength(9);
  });
});
