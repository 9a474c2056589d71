import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SECOND_MS } from '../../src/core/time.js';
import { containersOf, docker } from '../support/docker-host.js';
import { after } from '../support/model-server.js';
import { until } from '../support/until.js';
import { ChaosRun } from './support/chaos-run.js';
import { expectInvariants } from './support/invariants.js';
import { watchRecovery } from './support/recovery.js';

/** Longer than the time between two rounds of a reaper. */
const A_ROUND_MS = 25 * SECOND_MS;

const running = async (ids: readonly string[]): Promise<string[]> => {
  const listed = await docker('ps', '--quiet', '--no-trunc');
  return ids.filter((id) => listed.includes(id));
};

describe('two installations on one engine', () => {
  it('do not touch each other’s containers, not even those of one that lost its worker and its database', async () => {
    const ours = await ChaosRun.start({ runId: 'ours', capacity: 6 });
    const theirs = await ChaosRun.start({
      runId: 'theirs',
      capacity: 4,
      // Slow enough to be at work all the time.
      script: (_call, usual) => after(1_500, usual),
    });
    const worker = await ours.startWorker();
    await theirs.startWorker();
    await Promise.all([ours.begin(), theirs.begin()]);
    await Promise.all([ours.underWay(), theirs.underWay(1)]);

    await ours.killWorker(worker);
    await ours.host.loseDatabase();
    const orphans = await containersOf(ours.store);
    expect(orphans).not.toHaveLength(0);
    await sleep(A_ROUND_MS);
    // Their reaper has looked, and no cluster knows what these belong to.
    expect(await running(orphans)).toEqual(orphans);

    const neighbours = await containersOf(theirs.store);
    expect(neighbours).not.toHaveLength(0);
    const recovered = await watchRecovery(ours, 'two installations (from longrun runs recover)');
    await ours.host.runs.recover('ours');
    await ours.startWorker();
    await recovered();
    await expectInvariants(ours, { takeovers: 1 });
    await expectInvariants(theirs, { takeovers: 0 });
  });

  it('leave alone what a deleted one left behind', async () => {
    const deleted = await ChaosRun.make({ runId: 'deleted', capacity: 4 });
    let cleanUp: () => Promise<unknown> = () => deleted.stop();
    onTestFinished(async () => void (await cleanUp()));
    const worker = await deleted.startWorker();
    await deleted.begin();
    await until(async () => (await containersOf(deleted.store)).length === 4);
    await deleted.killWorker(worker);
    const left = await containersOf(deleted.store);
    expect(left).not.toHaveLength(0);
    await deleted.endpoint.close();
    await deleted.host.stop();
    // Nothing in its folder names them any more.
    cleanUp = () =>
      Promise.all([
        docker('rm', '--force', '--volumes', ...left),
        rm(deleted.temporaryFolder, { recursive: true, force: true }),
      ]);

    const other = await ChaosRun.start({ runId: 'other', capacity: 4 });
    await other.startWorker();
    await other.begin();
    await expectInvariants(other, { takeovers: 0 });
    await sleep(A_ROUND_MS);
    expect(await running(left)).toEqual(left);
  });
});
