import { describe, expect, it } from 'vitest';
import { rolloutWorkflowId } from '../../src/core/ids.js';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { attemptRecordSchema } from '../../src/store/records/records.schema.js';
import { readResult } from '../../src/store/runs.js';
import { containerOf, containersOf } from '../support/docker-host.js';
import { until } from '../support/until.js';
import { ChaosRun } from './support/chaos-run.js';
import { expectInvariants } from './support/invariants.js';
import { noteTimes, watchRecovery } from './support/recovery.js';

describe('rollout workflows that an operator terminated in the middle of a run of 24', () => {
  it('lose their containers within a minute and nobody else’s; the run is recovered and completes', async () => {
    const chaos = await ChaosRun.start({ runId: 'terminated' });
    await chaos.startWorker();
    await chaos.begin();
    const victims = await chaos.underWay({ held: 4 });
    for (const key of victims)
      await chaos.host.client.workflow.getHandle(rolloutWorkflowId(key)).terminate('by an operator');
    chaos.letGo();
    const terminated = Date.now();
    const containers = await Promise.all(victims.map((key) => containerOf(chaos.store, key)));
    const left = async () => (await containersOf(chaos.store)).filter((id) => containers.includes(id));
    await until(async () => (await left()).length === 0, { what: 'their containers are gone' });
    noteTimes('workflows terminated (until their containers are gone)', [Date.now() - terminated]);

    // The others go on; the run says at its end that it is not complete.
    expect(await chaos.host.runs.wait('terminated', AbortSignal.timeout(120_000))).toBe('failed');
    expect(await chaos.sealed()).toBeGreaterThanOrEqual(24 - victims.length);
    const recovered = await watchRecovery(chaos, 'workflows terminated (from longrun runs recover)');
    await chaos.host.runs.recover('terminated');
    await recovered();
    await expectInvariants(chaos, { takeovers: 1, attempts: 2 });
    for (const key of await chaos.rollouts()) {
      const { attempts } = (await readResult(chaos.store, key)) ?? {};
      const first = await readRecord(
        chaos.store,
        attemptRecordSchema,
        keys.attemptRecord({ ...key, attempt: 1 }),
      );
      const wasVictim = victims.some(({ taskId, sample }) => taskId === key.taskId && sample === key.sample);
      if (wasVictim) expect([attempts, first?.stopReason]).toEqual([2, 'sandbox_lost']);
      else expect([attempts, first?.attempt]).toEqual([1, 1]);
    }
  });
});
