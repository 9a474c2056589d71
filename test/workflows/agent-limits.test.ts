import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskStep } from '../../src/core/rollout/task.schema.js';
import type { RunConfig } from '../../src/core/run/run-config.schema.js';
import { expectEveryRequestAccounted } from '../support/call-accounts.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { runAgainst } from '../support/model-run.js';
import {
  type Answer,
  after,
  breaksOff,
  completes,
  refuses,
  runs,
  type SeenCall,
  says,
} from '../support/model-server.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker();
});
afterAll(() => host.stop());

const ANSWER = 'mkdir -p /app; echo 42 > /app/answer';

interface Limits {
  config?: Partial<RunConfig>;
  step?: Partial<TaskStep>;
}

async function rolloutOf(
  runId: string,
  script: (call: SeenCall) => Answer,
  { config, step = {} }: Limits = {},
) {
  const task = await inlineTask({ taskId: 'one', test: answerTest('42'), step });
  const { rollouts, server } = await runAgainst(host, runId, [task], script, config);
  await expectEveryRequestAccounted(host.store, runId, server);
  const [rollout] = rollouts;
  if (!rollout) throw new Error('the run has no result');
  return { rollout, server };
}

describe('an agent that reaches a limit is stopped and scored by what it did', () => {
  it('after so many turns', async () => {
    const { rollout, server } = await rolloutOf('turns', () => runs(ANSWER), { config: { maxTurns: 3 } });
    expect(rollout).toMatchObject({ stopReason: 'max_turns', turns: 3, reward: 1, attempts: 1 });
    expect(server.seen).toHaveLength(3);
  });

  it('when its answers cannot be used three times in a row', async () => {
    const nonsense = completes({ calls: [{ name: 'terminal', arguments: '{"command": ' }] });
    const { rollout } = await rolloutOf('format', ({ turn }) => (turn === 0 ? runs(ANSWER) : nonsense));
    expect(rollout).toMatchObject({ stopReason: 'format_error', turns: 4, reward: 1 });
  });

  it('when its answer is cut off at the token limit', async () => {
    const cut = completes({ content: 'I was about to', finishReason: 'length' });
    const { rollout } = await rolloutOf('cut-off', ({ turn }) => (turn === 0 ? runs(ANSWER) : cut));
    expect(rollout).toMatchObject({ stopReason: 'length_truncated', turns: 2, reward: 1 });
  });
});

describe('the agent’s time', () => {
  it('ends a command that outlives it, and what the command had still to do is not done', async () => {
    const { rollout, server } = await rolloutOf(
      'outlived',
      ({ turn }) =>
        turn === 0 ? runs(`${ANSWER}; sleep 30; echo late > /app/answer`) : says('There is time left.'),
      { step: { agentTimeoutMs: 1_500 } },
    );
    expect(rollout).toMatchObject({ stopReason: 'wall_timeout', turns: 1, reward: 1, attempts: 1 });
    expect(server.seen).toHaveLength(1);
    expect(rollout.timings.toolsMs).toBeGreaterThanOrEqual(1_400);
  });

  it('counts what the model takes to answer', async () => {
    const { rollout } = await rolloutOf('slow-model', () => after(400, runs(ANSWER)), {
      step: { agentTimeoutMs: 1_000 },
    });
    expect(rollout).toMatchObject({ stopReason: 'wall_timeout', reward: 1 });
    expect(rollout.turns).toBeLessThanOrEqual(3);
  });

  it('does not run while the endpoint makes it wait or fails', async () => {
    const limited = refuses(429, 'slow down', { headers: { 'retry-after': '2' } });
    const { rollout } = await rolloutOf(
      'waited',
      (call) => {
        if (call.try === 1) return call.turn === 0 ? limited : breaksOff;
        return call.turn === 0 ? runs(ANSWER) : says('Done.');
      },
      { step: { agentTimeoutMs: 1_500 } },
    );
    expect(rollout).toMatchObject({ stopReason: 'natural', reward: 1, failedCalls: 2 });
    expect(rollout.timings.finishedAt - rollout.timings.startedAt).toBeGreaterThan(2_000);
  });

  it('is stretched by the run’s multiplier', async () => {
    const { rollout } = await rolloutOf(
      'stretched',
      ({ turn }) => (turn === 0 ? runs(`sleep 1; ${ANSWER}`) : says('Done.')),
      { step: { agentTimeoutMs: 500 }, config: { timeoutMultiplier: 20 } },
    );
    expect(rollout).toMatchObject({ stopReason: 'natural', reward: 1 });
  });
});
