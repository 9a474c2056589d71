import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttemptKey } from '../../src/core/ids.js';
import type { ReplayReport } from '../../src/replay/report-replay.js';
import { keys } from '../../src/store/keys.js';
import { expectEveryRequestAccounted } from '../support/call-accounts.js';
import { spawnChild } from '../support/child.js';
import { containerOf, containersOf, docker, removeContainersOf } from '../support/docker-host.js';
import { inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { MODEL_RUN } from '../support/model-run.js';
import { type Answer, ModelServer, refuses, runs, type SeenCall, says } from '../support/model-server.js';
import { finished, planned } from '../support/replaying.js';
import { until } from '../support/until.js';

const RUN = 'replayed';
/** Longer than it takes until a dead worker is noticed, and than a round of the reaper. */
const LONG_SEC = 30;

let host: LongrunHost;
let server: ModelServer;
let report: ReplayReport;
let first: string | null;
let healthy = false;
let askedBefore = 0;
const kills: (() => Promise<void>)[] = [];

const attempt = (n: number): AttemptKey => ({ runId: RUN, taskId: 'one', sample: 0, attempt: n });

function script({ turn }: SeenCall): Answer {
  if (turn === 0) return runs('mkdir -p /app; echo first >> /app/log');
  if (turn === 1) return runs('echo second >> /app/log; sleep $PACE');
  if (!healthy) return refuses(401, 'Incorrect API key');
  return turn === 2 ? runs('echo third >> /app/log') : says('Done.');
}

/** `pace`: how long the second command takes in sandboxes that this worker makes. */
async function startWorker(pace: number) {
  const child = new URL('../support/host-worker.child.ts', import.meta.url);
  const worker = spawnChild(child, [host.stateDir], { TEST_PACE: String(pace) });
  kills.push(() => worker.kill());
  expect(await worker.line()).toBe('ready');
  return worker;
}

/** A rollout broke off after two commands; while the second is executed again, the worker of its replay is killed. */
beforeAll(async () => {
  host = await LongrunHost.start();
  server = await ModelServer.start(script);
  const test = `#!/bin/sh\n[ "$(tr '\\n' ' ' < /app/log)" = 'first second third ' ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt\n`;
  const task = await inlineTask({ taskId: 'one', test, sandbox: { env: { PACE: '${TEST_PACE}' } } });
  await host.plan(RUN, [task], {
    ...MODEL_RUN,
    passEnv: ['TEST_PACE'],
    sandbox: 'docker',
    baseUrl: server.baseUrl,
  });
  const quick = await startWorker(0);
  await host.finish(RUN);
  await quick.kill('SIGTERM');
  const worker = await startWorker(LONG_SEC);
  healthy = true;
  askedBefore = server.seen.length;
  const replay = await planned(host.store, RUN, { failed: true, mode: 'resume' });
  const done = finished(host, replay);
  await until(async () => (await host.store.get(keys.toolExec(attempt(2), 0, 1, 0))) !== null);
  first = await containerOf(host.store, attempt(2));
  await until(async () => (await docker('exec', String(first), 'cat', '/app/log')).includes('second'));
  await worker.kill('SIGKILL');
  await startWorker(0);
  report = await done;
}, 240_000);

afterAll(async () => {
  for (const kill of kills) await kill();
  await server.close();
  await removeContainersOf(host.store);
  await host.stop();
});

describe('a replay whose worker is killed', () => {
  it('goes on in the same container, at the command that was running', async () => {
    expect(report.rollouts).toMatchObject([
      { counts: true, result: { attempt: 2, attempts: 1, reward: 1, lostCalls: 0, turns: 4 } },
    ]);
    expect(await containerOf(host.store, attempt(2))).toBe(first);
  });

  it('asks the model for what was not recorded, and nothing twice', async () => {
    expect(server.seen.slice(askedBefore).map(({ turn }) => turn)).toEqual([2, 3]);
    const carried = server.seen.slice(0, askedBefore);
    expect(carried.map(({ turn }) => turn)).toEqual([0, 1, 2]);
    await expectEveryRequestAccounted(host.store, RUN, server);
  });

  it('leaves no container behind', async () => {
    await until(async () => (await containersOf(host.store)).length === 0);
  });
});
