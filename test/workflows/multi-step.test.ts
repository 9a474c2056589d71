import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trajectorySchema } from '../../src/core/trajectory/trajectory.schema.js';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { type InlineStep, inlineSteps } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { runAgainst } from '../support/model-run.js';
import { type Answer, runs, type SeenCall, says } from '../support/model-server.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker();
});
afterAll(() => host.stop());

/** Scores what the step's file holds. */
const step = (name: string, more: Partial<InlineStep> = {}): InlineStep => ({
  name,
  instruction: `Write the score of step ${name}.`,
  test: `#!/bin/sh\ncp /app/${name} /logs/verifier/reward.txt 2>/dev/null || echo 0 > /logs/verifier/reward.txt\n`,
  ...more,
});

/** An agent that writes a score for each step it is asked for. */
const writing =
  (scores: Record<string, number>) =>
  ({ turn, messages }: SeenCall): Answer => {
    const asked = messages.find(({ role }) => role === 'user')?.content ?? '';
    const name = Object.keys(scores).find((known) => asked.includes(`step ${known}.`));
    return turn === 0 ? runs(`mkdir -p /app; echo ${scores[name ?? '']} > /app/${name}`) : says('Done.');
  };

async function rolloutOf(
  runId: string,
  options: Parameters<typeof inlineSteps>[0],
  script: (call: SeenCall) => Answer,
) {
  const { rollouts, server } = await runAgainst(host, runId, [await inlineSteps(options)], script);
  const [rollout] = rollouts;
  if (!rollout) throw new Error('the run has no result');
  const asked = server.seen.map(
    ({ messages }) => messages.find(({ role }) => role === 'user')?.content ?? '',
  );
  const order = [...new Set(asked)].map((text) => /step (\w+)\./.exec(text)?.[1]);
  return { rollout, order };
}

describe('a task of several steps', () => {
  it('takes them in order in one sandbox and scores the mean', async () => {
    const { rollout, order } = await rolloutOf(
      'mean',
      { taskId: 'one', steps: [step('first'), step('second'), step('third')] },
      writing({ first: 1, second: 0.5, third: 0 }),
    );
    expect(order).toEqual(['first', 'second', 'third']);
    expect(rollout).toMatchObject({
      reward: 0.5,
      rewards: { first: 1, second: 0.5, third: 0 },
      turns: 6,
      attempts: 1,
      stopReason: 'natural',
    });
  });

  it('tells its tool calls apart in all steps, whatever ids the endpoint gives them', async () => {
    await rolloutOf(
      'ids',
      { taskId: 'one', steps: [step('first'), step('second')] },
      writing({ first: 1, second: 1 }),
    );
    const trajectory = await readRecord(
      host.store,
      trajectorySchema,
      keys.trajectory({ runId: 'ids', taskId: 'one', sample: 0 }),
    );
    const messages =
      trajectory?.timesteps.flatMap(({ chats }) => chats.flatMap((chat) => chat.messages)) ?? [];
    const called = messages.flatMap((message) =>
      message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [],
    );
    expect(called).toHaveLength(2);
    expect(new Set(called).size).toBe(2);
    expect(messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []))).toEqual(
      called,
    );
  });

  it('scores the last step alone where the task says so', async () => {
    const { rollout } = await rolloutOf(
      'final',
      { taskId: 'one', stepReward: 'final', steps: [step('first'), step('second')] },
      writing({ first: 0, second: 0.75 }),
    );
    expect(rollout).toMatchObject({ reward: 0.75, rewards: { first: 0, second: 0.75 } });
  });

  it('stops below the least reward of a step; steps not reached count 0', async () => {
    const { rollout, order } = await rolloutOf(
      'min-reward',
      {
        taskId: 'one',
        steps: [step('first', { step: { minReward: 0.9 } }), step('second'), step('third')],
      },
      writing({ first: 0.75, second: 1, third: 1 }),
    );
    expect(order).toEqual(['first']);
    expect(rollout).toMatchObject({ reward: 0.25, rewards: { first: 0.75, second: 0, third: 0 }, turns: 2 });
  });

  it('reads a least reward by its key', async () => {
    const test = '#!/bin/sh\necho \'{"reward": 1, "style": 0.2}\' > /logs/verifier/reward.json\n';
    const { order } = await rolloutOf(
      'min-key',
      {
        taskId: 'one',
        steps: [step('first', { test, step: { minReward: { style: 0.5 } } }), step('second')],
      },
      writing({ first: 1, second: 1 }),
    );
    expect(order).toEqual(['first']);
  });

  it('brings the files of each step and waits until its service is well', async () => {
    const check = (command: string) => ({
      command,
      intervalMs: 50,
      timeoutMs: 2_000,
      startPeriodMs: 0,
      startIntervalMs: 50,
      retries: 3,
    });
    const { rollout } = await rolloutOf(
      'files',
      {
        taskId: 'one',
        steps: [
          step('first', { files: { 'input.txt': '1\n' } }),
          step('second', {
            files: { 'input.txt': '0.5\n' },
            // Not well at the first look.
            step: { healthcheck: check('[ -e /app/seen ] || { touch /app/seen; exit 1; }') },
          }),
        ],
      },
      ({ turn, messages }) => {
        const name = messages.some(({ content }) => content?.includes('step first.')) ? 'first' : 'second';
        return turn === 0 ? runs(`cp /app/input.txt /app/${name}`) : says('Done.');
      },
    );
    expect(rollout).toMatchObject({ reward: 0.75, rewards: { first: 1, second: 0.5 } });
  });

  it('ends as infrastructure where the service of a step never gets well', async () => {
    const sick = {
      command: 'echo no database; false',
      intervalMs: 20,
      timeoutMs: 2_000,
      startPeriodMs: 0,
      startIntervalMs: 20,
      retries: 2,
    };
    const loaded = await inlineSteps({
      taskId: 'one',
      steps: [step('first'), step('second', { step: { healthcheck: sick } })],
    });
    const { rollouts } = await runAgainst(host, 'sick', [loaded], writing({ first: 1, second: 1 }), {
      maxAttempts: 2,
    });
    expect(rollouts[0]).toMatchObject({
      stopReason: 'provision_error',
      reward: null,
      attempts: 2,
      failure: { message: expect.stringContaining('no database') },
    });
  });
});
