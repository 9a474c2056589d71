import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readResult } from '../../src/store/runs.js';
import { containerOf, docker } from '../support/docker-host.js';
import { until } from '../support/until.js';
import { ChaosRun } from './support/chaos-run.js';
import { attemptOf, atWorkOn, busy, givenUp } from './support/hosts.js';
import { expectInvariants } from './support/invariants.js';
import { watchRecovery } from './support/recovery.js';

it.concurrent('a host that never comes back: its rollouts move to another; its containers are removed when it returns', async ({
  onTestFinished,
}) => {
  const chaos = await ChaosRun.start({ runId: 'host-lost', config: { hostLossMs: 3_000 } }, onTestFinished);
  const gone = await chaos.startWorker({ hostId: 'gone' });
  await chaos.startWorker({ hostId: 'stays' });
  await chaos.begin();
  await chaos.underWay({ on: 'gone' });
  const interrupted = await busy(chaos, 'gone');
  await chaos.killWorker(gone);
  chaos.letGo();
  const recovered = await watchRecovery(chaos, 'host never comes back', () => atWorkOn(chaos, 'gone'));

  const moved = await givenUp(chaos, interrupted);
  expect(moved.length).toBeGreaterThan(0);
  const orphans = (await Promise.all(moved.map((key) => containerOf(chaos.store, key)))) as string[];
  // Nobody but their own host may touch them.
  expect(await running(orphans)).toEqual([...orphans].sort());
  await recovered();

  await chaos.startWorker({ hostId: 'gone' });
  await until(async () => (await running(orphans)).length === 0, {
    what: 'the containers of the lost host are gone',
  });
  await expectInvariants(chaos, { takeovers: 1, attempts: 2 });
  for (const key of moved) {
    expect(await attemptOf(chaos, key)).toMatchObject({
      stopReason: 'sandbox_lost',
      reward: null,
      hostId: 'gone',
    });
    expect(await readResult(chaos.store, key)).toMatchObject({ attempt: 2, attempts: 2 });
    expect(await attemptOf(chaos, { ...key, attempt: 2 })).toMatchObject({
      stopReason: expect.stringMatching(/natural|max_turns/),
    });
  }
});

it.concurrent('the only host may stay away as long as it likes: its rollouts wait, and no attempt is spent', async ({
  onTestFinished,
}) => {
  const chaos = await ChaosRun.start({ runId: 'host-away', config: { hostLossMs: 1_000 } }, onTestFinished);
  await chaos.host.startWorker({ hostId: 'books', role: 'orchestrator' });
  const only = await chaos.startWorker({ hostId: 'only', role: 'host' });
  await chaos.begin();
  await chaos.underWay();
  await chaos.killWorker(only);
  chaos.letGo();
  // Past the heartbeat timeout and many expiries.
  await sleep(25_000);
  await chaos.startWorker({ hostId: 'only', role: 'host' });
  await expectInvariants(chaos, { takeovers: 1 });
});

async function running(containers: readonly string[]): Promise<string[]> {
  const all = await docker('ps', '--all', '--quiet', '--no-trunc');
  return all
    .split('\n')
    .filter((id) => containers.includes(id))
    .sort();
}
