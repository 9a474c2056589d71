import { expect, type TestContext } from 'vitest';
import type { RunConfig } from '../../../src/core/run/run-config.schema.js';
import { type CHECKPOINT_PHASES, CHECKPOINT_POINTS } from '../../../src/rollout/checkpoints.js';
import { containerOf, containersOf } from '../../support/docker-host.js';
import { atWork } from './at-work.js';
import { ChaosRun } from './chaos-run.js';
import { expectInvariants } from './invariants.js';
import { watchRecovery } from './recovery.js';

/**
 * A run whose worker is killed three times in one phase: before anything was recorded, after the effect but before
 * its record, after the record. Each time others of its rollouts are in other phases.
 * `nth`: the how-manieth pass of the point, of each worker, is its last.
 */
export async function surviveKillsIn(
  phase: (typeof CHECKPOINT_PHASES)[number],
  nth: Record<(typeof CHECKPOINT_POINTS)[number], number>,
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  config: Partial<RunConfig> = {},
): Promise<ChaosRun> {
  const chaos = await ChaosRun.start({ runId: `killed-${phase}`, config }, onTestFinished);
  await chaos.begin();
  let left: string[] = [];
  for (const point of CHECKPOINT_POINTS) {
    const worker = await chaos.startWorker({ dieAt: `${phase}:${point}:${nth[point]}` });
    await expectNoneUnnamed(chaos, left);
    expect(await worker.ended).toBe('SIGKILL');
    expect(await chaos.sealed(), 'the run is not over yet').toBeLessThan(24);
    left = await containersOf(chaos.store);
  }
  // The last kill may find every rollout that was begun at its end: then none has to move on.
  const idle = (await atWork(chaos)).length === 0;
  const recovered = idle ? null : await watchRecovery(chaos, `SIGKILL of the worker: ${phase}`);
  await chaos.startWorker();
  await expectNoneUnnamed(chaos, left);
  await recovered?.();
  await expectInvariants(chaos, { takeovers: CHECKPOINT_POINTS.length });
  return chaos;
}

/** Of the containers that a dead worker left, those that no record names are removed before anything else. */
async function expectNoneUnnamed(chaos: ChaosRun, left: string[]): Promise<void> {
  const living = await containersOf(chaos.store);
  const placements = await Promise.all(
    (await chaos.rollouts()).map((key) => containerOf(chaos.store, { ...key, attempt: 1 })),
  );
  expect(left.filter((id) => living.includes(id) && !placements.includes(id))).toEqual([]);
}
