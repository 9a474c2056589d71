import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AttemptKey } from '../../src/core/ids.js';
import { MINUTE_MS, SECOND_MS } from '../../src/core/time.js';
import { containerOf, containersOf, docker } from '../support/docker-host.js';
import { type ChaosOptions, ChaosRun } from './support/chaos-run.js';
import { expectInvariants } from './support/invariants.js';
import { watchRecovery } from './support/recovery.js';

/** Longer than the time between two rounds of a reaper. */
const A_ROUND_MS = 25 * SECOND_MS;
const PATIENCE_MS = 5 * MINUTE_MS;

const running = async (ids: readonly string[]): Promise<string[]> => {
  const listed = await docker('ps', '--quiet', '--no-trunc');
  return ids.filter((id) => listed.includes(id));
};

/** Those in which somebody is at work: they run. */
async function containersAt({ store }: ChaosRun, attempts: readonly AttemptKey[]): Promise<string[]> {
  return (await Promise.all(attempts.map((key) => containerOf(store, key)))) as string[];
}

describe.concurrent('two installations on one engine', () => {
  it('do not touch each other’s containers, not even those of one that lost its worker and its database', async ({
    onTestFinished,
  }) => {
    const ours = await ChaosRun.start({ runId: 'ours', capacity: 6 }, onTestFinished);
    const theirOptions: ChaosOptions = {
      runId: 'theirs',
      capacity: 4,
      // Some of it is at work all the time: their model takes as long as this test does.
      config: { modelTimeoutMs: PATIENCE_MS, timeoutMultiplier: 10 },
    };
    const theirs = await ChaosRun.start(theirOptions, onTestFinished);
    const worker = await ours.startWorker();
    await theirs.startWorker();
    await Promise.all([ours.begin(), theirs.begin()]);
    const [held] = await Promise.all([ours.underWay(), theirs.underWay({ sealed: 1 })]);

    await ours.killWorker(worker);
    ours.letGo();
    await ours.host.loseDatabase();
    const orphans = await containersAt(ours, held);
    await sleep(A_ROUND_MS);
    // Their reaper has looked, and no cluster knows what these belong to.
    expect(await running(orphans)).toEqual(orphans);

    const neighbours = await containersOf(theirs.store);
    expect(neighbours).not.toHaveLength(0);
    theirs.letGo();
    const recovered = await watchRecovery(ours, 'two installations (from longrun runs recover)');
    await ours.host.runs.recover('ours');
    await ours.startWorker();
    await recovered();
    await expectInvariants(ours, { takeovers: 1 });
    await expectInvariants(theirs, { takeovers: 0 });
  });

  it('leave alone what a deleted one left behind', async ({ onTestFinished }) => {
    const deleted = await ChaosRun.make({ runId: 'deleted', capacity: 4 });
    let cleanUp: () => Promise<unknown> = () => deleted.stop();
    onTestFinished(async () => void (await cleanUp()));
    const worker = await deleted.startWorker();
    await deleted.begin();
    const held = await deleted.underWay();
    await deleted.killWorker(worker);
    const left = await containersAt(deleted, held);
    const all = await containersOf(deleted.store);
    await deleted.endpoint.close();
    await deleted.host.stop();
    // Nothing in its folder names them any more.
    cleanUp = () =>
      Promise.all([
        // One of them may have been on its way out.
        Promise.allSettled(all.map((id) => docker('rm', '--force', '--volumes', id))),
        rm(deleted.temporaryFolder, { recursive: true, force: true }),
      ]);

    const other = await ChaosRun.start({ runId: 'other', capacity: 4 }, onTestFinished);
    await other.startWorker();
    await other.begin();
    await expectInvariants(other, { takeovers: 0 });
    await sleep(A_ROUND_MS);
    expect(await running(left)).toEqual(left);
  });
});
