import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttemptKey } from '../../src/core/ids.js';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { attemptRecordSchema } from '../../src/store/records/records.schema.js';
import { expectEveryRequestAccounted } from '../support/call-accounts.js';
import { containerOf, containersOf, docker, removeContainersOf } from '../support/docker-host.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { MODEL_RUN, modelServer, runAgainst } from '../support/model-run.js';
import { type Answer, runs, type SeenCall, says } from '../support/model-server.js';
import { until } from '../support/until.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker();
});
afterAll(async () => {
  await removeContainersOf(host.store);
  await host.stop();
});

const ANSWER = 'echo 42 > /app/answer';
const DOCKER = { ...MODEL_RUN, sandbox: 'docker' } as const;
const task = (more: Partial<Parameters<typeof inlineTask>[0]> = {}) =>
  inlineTask({ taskId: 'one', test: answerTest('42'), ...more });

/** Answers, waits in the sandbox for a while, ends. */
const dawdling = ({ turn }: SeenCall): Answer =>
  turn === 0 ? runs(ANSWER) : turn === 1 ? runs('touch /app/waiting; sleep 4; true') : says('Done.');

/** Starts a run, does something to the first attempt's container while a command runs in it, and waits for the end. */
async function harmed(runId: string, harm: (container: string) => Promise<unknown>, attempts = 3) {
  const server = await modelServer(dawdling);
  await host.plan(runId, [await task()], { ...DOCKER, baseUrl: server.baseUrl, maxAttempts: attempts });
  const done = host.finish(runId);
  const container = await untilWaiting({ runId, taskId: 'one', sample: 0, attempt: 1 });
  await harm(container);
  const { rollouts } = await done;
  const [rollout] = rollouts;
  if (!rollout) throw new Error('the run has no result');
  await expectEveryRequestAccounted(host.store, runId, server);
  return { rollout, server };
}

/** The container of an attempt, once its long command runs. */
async function untilWaiting(key: AttemptKey): Promise<string> {
  let container = '';
  await until(async () => {
    container = (await containerOf(host.store, key)) ?? '';
    if (container === '') return false;
    return docker('exec', container, 'test', '-e', '/app/waiting').then(
      () => true,
      () => false,
    );
  });
  return container;
}

describe('a container that is taken away while the agent works', () => {
  const HARMS: [what: string, harm: (container: string) => Promise<unknown>][] = [
    ['killed', (container) => docker('kill', container)],
    ['removed', (container) => docker('rm', '--force', container)],
  ];
  it.each(HARMS)(
    '(%s) costs the attempt; another is made and the first one’s records stay',
    async (what, harm) => {
      const { rollout, server } = await harmed(`lost-${what}`, harm);
      expect(rollout).toMatchObject({
        stopReason: 'natural',
        reward: 1,
        attempt: 2,
        attempts: 2,
        turns: 3,
        lostCalls: 0,
      });
      const key = { runId: `lost-${what}`, taskId: 'one', sample: 0, attempt: 1 };
      expect(await readRecord(host.store, attemptRecordSchema, keys.attemptRecord(key))).toMatchObject({
        stopReason: 'sandbox_lost',
        reward: null,
        turns: 2,
        usage: { promptTokens: 200, completionTokens: 20 },
        failure: { code: 'sandbox_gone', retryable: true },
      });
      expect(await host.store.children(keys.turns(key, 0))).toHaveLength(2);
      // What the rollout cost, not only the attempt that counts.
      expect(server.seen).toHaveLength(5);
      expect(rollout.usage).toMatchObject({ promptTokens: 500, completionTokens: 50 });
      await until(async () => (await containersOf(host.store)).length === 0);
    },
  );

  it('is not replaced beyond the run’s attempts', async () => {
    const { rollout } = await harmed('lost-once', (container) => docker('kill', container), 1);
    expect(rollout).toMatchObject({
      stopReason: 'sandbox_lost',
      reward: null,
      attempts: 1,
      queueState: 'needs_human_review',
    });
  });
});

describe('an agent that attacks its own sandbox', () => {
  it('by killing every process in it gets no second attempt', async () => {
    const { rollouts } = await runAgainst(
      host,
      'kill-all',
      [await task()],
      ({ turn }) => (turn === 0 ? runs(`${ANSWER}; kill -9 -1`) : says('Done.')),
      DOCKER,
    );
    expect(rollouts[0]).toMatchObject({ failureClass: 'agent', reward: 1, attempts: 1 });
  });

  it('by running it out of memory until it ends is scored by what it left, and gets no second attempt', async () => {
    const eatMemory = 'for i in 1 2 3 4; do tail /dev/zero & done; wait';
    const { rollouts, server } = await runAgainst(
      host,
      'out-of-memory',
      [await task({ sandbox: { memoryMb: 64 } })],
      // PID 1 is put first in line for the kernel's choice; again, as it may take what ate the memory instead.
      ({ turn }) => {
        if (turn === 0) return runs(`${ANSWER}; echo 1000 > /proc/1/oom_score_adj; ${eatMemory}`);
        return turn < 6 ? runs(eatMemory) : says('Done.');
      },
      DOCKER,
    );
    expect(rollouts[0]).toMatchObject({
      stopReason: 'sandbox_ended',
      failureClass: 'agent',
      reward: 1,
      attempts: 1,
      turns: server.seen.length,
    });
  });
});

describe('an image that does not build', () => {
  it('ends the rollout at once, with the last lines of the build', async () => {
    const broken = await task({
      dockerfile: 'FROM debian:bookworm-slim\nRUN echo compiling the frobnicator && exit 3\n',
    });
    const { rollouts, server } = await runAgainst(
      host,
      'broken-build',
      [broken],
      () => says('Done.'),
      DOCKER,
    );
    expect(rollouts[0]).toMatchObject({
      stopReason: 'provision_error',
      reward: null,
      attempts: 1,
      queueState: 'terminal_failure',
      failure: {
        code: 'image_build_failed',
        retryable: false,
        message: expect.stringContaining('compiling the frobnicator'),
      },
    });
    expect(server.seen).toHaveLength(0);
    expect(await containersOf(host.store)).toEqual([]);
  });
});
