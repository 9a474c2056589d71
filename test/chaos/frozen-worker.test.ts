import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readResult } from '../../src/store/runs.js';
import { rolloutAccounts } from '../support/call-accounts.js';
import { containerOf, docker } from '../support/docker-host.js';
import { after } from '../support/model-server.js';
import { until } from '../support/until.js';
import { type ChaosOptions, ChaosRun } from './support/chaos-run.js';
import { attemptOf, atWorkOn, busy, givenUp, hostOf } from './support/hosts.js';
import { expectInvariants } from './support/invariants.js';
import { watchRecovery } from './support/recovery.js';

/** Past the heartbeat timeout: the server has given up every activity that ran. */
const FROZEN_MS = 18_000;

describe.concurrent('a worker frozen by SIGSTOP', () => {
  it('for 15 s and more goes on as the only executor of its rollouts', async ({ onTestFinished }) => {
    const chaos = await ChaosRun.start({ runId: 'frozen-short' }, onTestFinished);
    const worker = await chaos.startWorker();
    await chaos.begin();
    await chaos.underWay();
    worker.process.kill('SIGSTOP');
    chaos.letGo();
    const recovered = await watchRecovery(chaos, 'worker frozen 18 s, then woken');
    await sleep(FROZEN_MS);
    worker.process.kill('SIGCONT');
    await recovered();
    await expectInvariants(chaos, { takeovers: 1 });
  });

  it('until its rollouts have moved on notices that when it wakes: it stops, counts its calls and cleans up', async ({
    onTestFinished,
  }) => {
    const options: ChaosOptions = {
      runId: 'frozen-long',
      config: { hostLossMs: 3_000 },
      // Slow answers: calls are in the air at any time, and their answers wait for the frozen process.
      script: (_call, usual) => after(600, usual),
    };
    const chaos = await ChaosRun.start(options, onTestFinished);
    const frozen = await chaos.startWorker({ hostId: 'frozen' });
    await chaos.startWorker({ hostId: 'awake' });
    await chaos.begin();
    await chaos.underWay({ on: 'frozen' });
    const interrupted = await busy(chaos, 'frozen');
    frozen.process.kill('SIGSTOP');
    chaos.letGo();
    const recovered = await watchRecovery(chaos, 'worker frozen until its rollouts have moved on', () =>
      atWorkOn(chaos, 'frozen'),
    );
    const moved = await givenUp(chaos, interrupted);
    expect(moved.length).toBeGreaterThan(0);
    const placedAgain = async () =>
      (await Promise.all(moved.map((key) => hostOf(chaos, { ...key, attempt: 2 })))).every(
        (host) => host !== null,
      );
    await until(placedAgain, { what: 'the moved rollouts have new sandboxes' });
    const orphans = (await Promise.all(moved.map((key) => containerOf(chaos.store, key)))) as string[];
    frozen.process.kill('SIGCONT');
    await recovered();

    await until(async () => !(await anyOf(orphans)), { what: 'the woken worker has removed its containers' });
    await expectInvariants(chaos, { takeovers: 1, attempts: 2 });
    for (const key of moved) {
      const first = await attemptOf(chaos, key);
      expect(first).toMatchObject({ stopReason: 'sandbox_lost', reward: null, hostId: 'frozen' });
      const result = await readResult(chaos.store, key);
      expect(result).toMatchObject({ attempt: 2, attempts: 2 });
      expect(await hostOf(chaos, { ...key, attempt: 2 })).toBe('awake');
      // What it cost is counted, once, though the answers came after all.
      const { lost } = await rolloutAccounts(chaos.store, key);
      expect(first?.lostCalls).toBe(lost.length);
    }
  });
});

async function anyOf(containers: readonly string[]): Promise<boolean> {
  const all = (await docker('ps', '--all', '--quiet', '--no-trunc')).split('\n');
  return all.some((id) => containers.includes(id));
}
