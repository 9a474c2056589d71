import { LongrunError } from '../core/errors.js';
import type { AttemptKey } from '../core/ids.js';
import type { Fence } from '../core/rollout/fence.js';
import { type Lifecycle, mayGoOn } from '../core/rollout/lifecycle.js';
import { GoneSandbox } from '../sandbox/gone-sandbox.js';
import { assertFence, raiseFence } from '../store/fence-store.js';
import { keys } from '../store/keys.js';
import { readRecord } from '../store/records/records.js';
import { placementSchema } from '../store/records/records.schema.js';
import { readRun, readTask } from '../store/runs.js';
import { atLevel } from '../tasks/verification/isolation-level.js';
import type { AttemptContext } from './attempt-context.js';
import type { RolloutDeps } from './deps.js';
import { withEarlierChanges } from './replay/earlier-changes.js';

/** Raises the fence and finds the sandbox; one that no longer exists says so when it is used. */
export async function openAttempt(
  deps: RolloutDeps,
  key: AttemptKey,
  step: number,
  fence: Fence,
  lifecycle: Lifecycle,
): Promise<AttemptContext> {
  await raiseFence(deps.store, key, fence);
  const guard = async () => {
    mayGoOn(lifecycle);
    await assertFence(deps.store, key, fence);
  };
  await guard();
  const [run, asked, placement] = await Promise.all([
    readRun(deps.store, key.runId),
    readTask(deps.store, key.runId, key.taskId),
    readRecord(deps.store, placementSchema, keys.placement(key)),
  ]);
  if (placement === null)
    throw new LongrunError('not_found', `no placement recorded for attempt ${key.attempt}`);
  const task = atLevel(asked, run.config.verify);
  const stepSpec = task.evalCriteria.steps[step];
  if (!stepSpec) throw new LongrunError('not_found', `task ${key.taskId} has no step ${step}`);
  const ref = placement.sandbox;
  const found = (await deps.drivers.get(ref.driver)?.adopt(ref)) ?? new GoneSandbox(ref);
  const sandbox = placement.fromSnapshot ? await withEarlierChanges(deps, key, task, found) : found;
  return { deps, key, fence, lifecycle, run, task, step, stepSpec, placement, sandbox, guard };
}
