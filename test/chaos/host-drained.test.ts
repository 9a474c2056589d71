import { describe, expect, it } from 'vitest';
import type { AttemptKey } from '../../src/core/ids.js';
import { readHosts } from '../../src/store/hosts.js';
import { readResult } from '../../src/store/runs.js';
import { ChaosRun } from './support/chaos-run.js';
import { attemptOf, atWorkOn, busy, hostOf } from './support/hosts.js';
import { expectInvariants } from './support/invariants.js';
import { noteTimes, watchRecovery } from './support/recovery.js';

const SERVING = new URL('./support/serving.child.ts', import.meta.url);

describe.concurrent('SIGTERM of one of two hosts in the middle of a run loses nothing and costs no call', () => {
  it('when it drains: its rollouts end there, new ones go to the other', async ({ onTestFinished }) => {
    const chaos = await ChaosRun.start({ runId: 'drained' }, onTestFinished);
    const leaving = await chaos.startWorker({ hostId: 'leaving', drainTimeoutMs: 120_000 }, SERVING);
    await chaos.startWorker({ hostId: 'stays' }, SERVING);
    await chaos.begin();
    await chaos.underWay({ on: 'leaving' });
    const inHand = await busy(chaos, 'leaving');
    leaving.process.kill('SIGTERM');
    chaos.letGo();
    const asked = Date.now();

    expect(await leaving.ended).toBe(0);
    noteTimes('host drains (from SIGTERM until it has left)', [Date.now() - asked]);
    await expectNothingLost(chaos);
    for (const key of inHand)
      expect(await attemptOf(chaos, key)).toMatchObject({ attempt: 1, hostId: 'leaving' });
    const [record] = (await readHosts(chaos.store)).filter(({ hostId }) => hostId === 'leaving');
    expect(record).toMatchObject({ draining: true, leftAt: expect.any(Number), live: { docker: 0 } });
  });

  it('when it leaves at once and is started again: its rollouts go on where they stood', async ({
    onTestFinished,
  }) => {
    const chaos = await ChaosRun.start({ runId: 'restarted' }, onTestFinished);
    const leaving = await chaos.startWorker({ hostId: 'leaving' }, SERVING);
    await chaos.startWorker({ hostId: 'stays' }, SERVING);
    await chaos.begin();
    await chaos.underWay({ on: 'leaving' });
    const inHand = await busy(chaos, 'leaving');
    leaving.process.kill('SIGTERM');
    chaos.letGo();

    expect(await leaving.ended).toBe(0);
    const recovered = await watchRecovery(chaos, 'host leaves at once (from its restart)', () =>
      atWorkOn(chaos, 'leaving'),
    );
    const waiting = await openOf(chaos, inHand);
    await chaos.startWorker({ hostId: 'leaving' }, SERVING);
    await recovered();
    await expectNothingLost(chaos);
    expect(waiting.length).toBeGreaterThan(0);
    for (const key of waiting) expect(await hostOf(chaos, key)).toBe('leaving');
  });
});

async function openOf(chaos: ChaosRun, attempts: readonly AttemptKey[]): Promise<AttemptKey[]> {
  const results = await Promise.all(attempts.map((key) => readResult(chaos.store, key)));
  return attempts.filter((_, i) => results[i] === null);
}

async function expectNothingLost(chaos: ChaosRun): Promise<void> {
  await expectInvariants(chaos, { takeovers: 0 });
  for (const key of await chaos.rollouts())
    expect(await readResult(chaos.store, key)).toMatchObject({ attempts: 1, lostCalls: 0 });
}
