import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttemptKey } from '../../src/core/ids.js';
import type { RunDocument } from '../../src/records/summary.js';
import { readFailures } from '../../src/rollout/turns/step-history.js';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { toolResultSchema } from '../../src/store/records/records.schema.js';
import { expectEveryRequestAccounted } from '../support/call-accounts.js';
import { spawnChild } from '../support/child.js';
import { containerOf, containersOf, docker, removeContainersOf } from '../support/docker-host.js';
import { inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { MODEL_RUN } from '../support/model-run.js';
import { type Answer, ModelServer, runs, type SeenCall, says, stalls } from '../support/model-server.js';
import { until } from '../support/until.js';

const RUN = 'taken-over';
/** Longer than it takes until a dead worker is noticed: whoever takes over finds them running. */
const LONG_SEC = 24;
const MAX_TOKENS = 700;

/** Appends a line when it begins; the tests count the lines. */
const longCommand = `echo begun >> /app/effects; sleep ${LONG_SEC}; echo 42 > /app/answer`;
const once = (file: string) => `{ [ "$(wc -l < ${file})" = 1 ] && echo 1 || echo 0; }`;
const TESTS = {
  commanding: `${once('/app/effects')} > /logs/verifier/reward.txt`,
  calling: `${once('/app/effects')} > /logs/verifier/reward.txt`,
  verifying: `echo run >> /app/test-runs; sleep ${LONG_SEC}; ${once('/app/test-runs')} > /logs/verifier/reward.txt`,
};

function script(call: SeenCall): Answer {
  const opening = call.messages.map(({ content }) => content ?? '').join('\n');
  if (opening.includes('Do verifying.')) return says('Done.');
  if (opening.includes('Do commanding.')) return call.turn === 0 ? runs(longCommand) : says('Done.');
  if (call.turn === 0) return runs('echo begun >> /app/effects');
  return call.try === 1 ? stalls : says('Done.');
}

let host: LongrunHost;
let server: ModelServer;
let document: RunDocument;
const kills: (() => Promise<void>)[] = [];

const attempt = (taskId: string): AttemptKey => ({ runId: RUN, taskId, sample: 0, attempt: 1 });
const rollout = (taskId: string) => document.rollouts.find((found) => found.taskId === taskId);

async function has(taskId: string, file: string): Promise<boolean> {
  const container = await containerOf(host.store, attempt(taskId));
  if (container === null) return false;
  return docker('exec', container, 'test', '-e', file).then(
    () => true,
    () => false,
  );
}

async function startWorker() {
  const worker = spawnChild(new URL('../support/host-worker.child.ts', import.meta.url), [host.stateDir]);
  kills.push(() => worker.kill());
  expect(await worker.line()).toBe('ready');
  return worker;
}

/** One worker is killed while a command, a model call and a verification are under way; another goes on. */
beforeAll(async () => {
  host = await LongrunHost.start();
  server = await ModelServer.start(script);
  const tasks = await Promise.all(
    Object.entries(TESTS).map(([taskId, test]) =>
      inlineTask({ taskId, test: `#!/bin/sh\n${test}\n`, verifier: { timeoutMs: 90_000 } }),
    ),
  );
  await host.plan(RUN, tasks, {
    ...MODEL_RUN,
    sandbox: 'docker',
    baseUrl: server.baseUrl,
    maxTokens: MAX_TOKENS,
  });
  const worker = await startWorker();
  const done = host.finish(RUN);
  await until(() => has('commanding', '/app/effects'));
  await until(() => has('verifying', '/app/test-runs'));
  await until(() => server.of('Do calling.').some(({ turn }) => turn === 1));
  await worker.kill('SIGKILL');
  await startWorker();
  document = await done;
}, 120_000);

afterAll(async () => {
  for (const kill of kills) await kill();
  await server.close();
  await removeContainersOf(host.store);
  await host.stop();
});

describe('after a worker was killed, the next one', () => {
  it('waits for the command that was running: it ran once, and the rollout goes on at the same turn', async () => {
    expect(rollout('commanding')).toMatchObject({
      stopReason: 'natural',
      reward: 1,
      attempts: 1,
      turns: 2,
      lostCalls: 0,
      failedCalls: 0,
    });
    expect(rollout('commanding')?.timings.toolsMs).toBeGreaterThanOrEqual(LONG_SEC * 1000);
    const result = await readRecord(
      host.store,
      toolResultSchema,
      keys.toolResult(attempt('commanding'), 0, 0, 0),
    );
    expect(result).toMatchObject({ exitCode: 0, success: true, error: null });
    expect(server.of('Do commanding.')).toHaveLength(2);
  });

  it('repeats the model call that was in the air, as the one lost call, charged at its bound', async () => {
    expect(rollout('calling')).toMatchObject({
      stopReason: 'natural',
      reward: 1,
      attempts: 1,
      turns: 2,
      lostCalls: 1,
      failedCalls: 0,
    });
    expect(server.of('Do calling.').map(({ turn, try: nth }) => [turn, nth])).toEqual([
      [0, 1],
      [1, 1],
      [1, 2],
    ]);
    const [lost] = await readFailures(host.store, attempt('calling'), 0, 1);
    expect(lost).toMatchObject({ kind: 'lost', usage: { completionTokens: MAX_TOKENS } });
    expect(rollout('calling')?.usage.completionTokens).toBe(2 * 10 + MAX_TOKENS);
  });

  it('waits for the tests that were running, and does not run them again', async () => {
    expect(rollout('verifying')).toMatchObject({ stopReason: 'natural', reward: 1, attempts: 1, turns: 1 });
  });

  it('keeps the containers, and removes them in the end', async () => {
    for (const taskId of Object.keys(TESTS))
      expect(await host.store.children(keys.attempts(attempt(taskId)))).toEqual(['1']);
    expect(await containersOf(host.store)).toEqual([]);
  });

  it('leaves a record of every request', async () => {
    await expectEveryRequestAccounted(host.store, RUN, server);
  });
});
