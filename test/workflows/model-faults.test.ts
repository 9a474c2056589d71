import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunConfig } from '../../src/core/run/run-config.schema.js';
import { expectEveryRequestAccounted } from '../support/call-accounts.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { runAgainst } from '../support/model-run.js';
import {
  type Answer,
  breaksOff,
  refuses,
  runs,
  type SeenCall,
  says,
  stalls,
} from '../support/model-server.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker();
});
afterAll(() => host.stop());

/** Writes the right answer in its first turn and ends in its second; `fault` answers instead where it says so. */
const solving =
  (fault: (call: SeenCall) => Answer | null) =>
  (call: SeenCall): Answer =>
    fault(call) ?? (call.turn === 0 ? runs('mkdir -p /app; echo 42 > /app/answer') : says('Done.'));

async function rolloutOf(runId: string, script: (call: SeenCall) => Answer, config?: Partial<RunConfig>) {
  const task = await inlineTask({ taskId: 'one', test: answerTest('42') });
  const { rollouts, server } = await runAgainst(host, runId, [task], script, config);
  const accounts = await expectEveryRequestAccounted(host.store, runId, server);
  const [rollout] = rollouts;
  if (!rollout) throw new Error('the run has no result');
  return { rollout, server, accounts };
}

describe('a model endpoint that refuses', () => {
  const REFUSALS: [status: number, words: string, code: string][] = [
    [400, 'temperature must be positive, said the provider', 'model_rejected'],
    [401, 'Incorrect API key provided', 'model_rejected'],
    [404, 'The model `test-model` does not exist', 'model_unknown'],
  ];
  it.each(REFUSALS)(
    'with %i ends the rollout in its words, at once and without a score',
    async (status, words, code) => {
      const { rollout, server } = await rolloutOf(`refused-${status}`, () => refuses(status, words));
      expect(rollout).toMatchObject({
        stopReason: 'llm_error',
        reward: null,
        attempts: 1,
        turns: 0,
        failedCalls: 1,
        failureClass: 'infrastructure',
        queueState: 'terminal_failure',
        failure: { code, retryable: false, message: expect.stringContaining(words) },
      });
      expect(server.seen).toHaveLength(1);
    },
  );

  it('because the conversation is too long ends the agent and still scores its work', async () => {
    const overflow = refuses(400, "This model's maximum context length is 4096 tokens", {
      code: 'context_length_exceeded',
    });
    const { rollout } = await rolloutOf(
      'overflow',
      solving(({ turn }) => (turn === 1 ? overflow : null)),
    );
    expect(rollout).toMatchObject({
      stopReason: 'context_overflow',
      reward: 1,
      turns: 1,
      failedCalls: 1,
      failureClass: 'agent',
      attempts: 1,
    });
  });
});

describe('a model endpoint that asks to wait', () => {
  it('for a second is waited for within the slice', async () => {
    const limited = refuses(429, 'slow down', { headers: { 'retry-after': '1' } });
    const { rollout, server } = await rolloutOf(
      'short-wait',
      solving((call) => (call.turn === 1 && call.try === 1 ? limited : null)),
    );
    expect(rollout).toMatchObject({
      stopReason: 'natural',
      reward: 1,
      turns: 2,
      failedCalls: 1,
      attempts: 1,
    });
    const [, refused, again] = server.seen;
    expect((again?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(await activityAttempts('short-wait')).toEqual([1]);
  });

  it('for longer gets its slot back, is asked again after that time, and no rollout fails by it', async () => {
    const limited = refuses(429, 'slow down', { headers: { 'retry-after': '4' } });
    const { rollout, server } = await rolloutOf(
      'long-wait',
      solving((call) => (call.turn === 0 && call.try === 1 ? limited : null)),
    );
    expect(rollout).toMatchObject({
      stopReason: 'natural',
      reward: 1,
      turns: 2,
      failedCalls: 1,
      attempts: 1,
    });
    const [refused, again] = server.seen;
    expect((again?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(4_000);
    expect(await activityAttempts('long-wait')).toEqual([2]);
  });

  /** How often Temporal had to start each slice of the one rollout of a run. */
  async function activityAttempts(runId: string): Promise<number[]> {
    const { events } = await host.client.workflow.getHandle(`rollout/${runId}/one/0`).fetchHistory();
    const slices = new Set(
      (events ?? [])
        .filter((e) => e.activityTaskScheduledEventAttributes?.activityType?.name === 'runTurns')
        .map((e) => String(e.eventId)),
    );
    return (events ?? []).flatMap(({ activityTaskStartedEventAttributes: started }) =>
      started && slices.has(String(started.scheduledEventId)) ? [started.attempt ?? 0] : [],
    );
  }
});

describe('a model endpoint in trouble', () => {
  it('answers 500 twice, then as it should: nothing is lost', async () => {
    const { rollout, accounts } = await rolloutOf(
      'server-errors',
      solving((call) => (call.turn === 1 && call.try <= 2 ? refuses(500, 'overloaded') : null)),
    );
    expect(rollout).toMatchObject({
      stopReason: 'natural',
      reward: 1,
      turns: 2,
      failedCalls: 2,
      attempts: 1,
    });
    expect(accounts).toMatchObject({ answered: { length: 2 }, failed: { length: 2 }, lost: [] });
  });

  it('that breaks off in the middle of an answer is asked again', async () => {
    const { rollout, server } = await rolloutOf(
      'cut-body',
      solving((call) => (call.try === 1 ? breaksOff : null)),
    );
    expect(rollout).toMatchObject({
      stopReason: 'natural',
      reward: 1,
      turns: 2,
      failedCalls: 2,
      lostCalls: 0,
    });
    expect(server.seen).toHaveLength(4);
  });

  it('that stalls is given up after the time for one call, which is not the agent’s time', async () => {
    const { rollout } = await rolloutOf(
      'stalling',
      solving((call) => (call.turn === 0 && call.try === 1 ? stalls : null)),
      { modelTimeoutMs: 700 },
    );
    expect(rollout).toMatchObject({
      stopReason: 'natural',
      reward: 1,
      turns: 2,
      failedCalls: 1,
      attempts: 1,
    });
    expect(rollout.timings.modelMs).toBeLessThan(700);
  });
});
