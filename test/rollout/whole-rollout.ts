import type { AttemptKey } from '../../src/core/ids.js';
import type { RunConfig } from '../../src/core/run/run-config.schema.js';
import { finalizeAttempt } from '../../src/rollout/finalize.js';
import { placeSandbox } from '../../src/rollout/place.js';
import { runSlice } from '../../src/rollout/turns/slice.js';
import { verifyStep } from '../../src/rollout/verify.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { MODEL_RUN } from '../support/model-run.js';
import { planRun } from '../support/plan-run.js';
import { type ExecutorOptions, lifecycle, rolloutDeps } from '../support/rollout-deps.js';

export const KEY: AttemptKey = { runId: 'run', taskId: 'one', sample: 0, attempt: 1 };
const fence = (slice: number) => ({ incarnation: 1, slice, activityAttempt: 1 });

/** A run of one task, in the store. */
export async function planOne(store: ArtifactStore, config: Partial<RunConfig> = {}): Promise<void> {
  const task = await inlineTask({ taskId: 'one', test: answerTest('42') });
  await planRun(store, KEY.runId, [task], { ...MODEL_RUN, ...config });
}

/** A rollout from placement to its sealed result, as the activities do it, without Temporal. */
export async function wholeRollout(options: ExecutorOptions, sample = 0): Promise<void> {
  const deps = rolloutDeps(options);
  const key = { ...KEY, sample };
  await placeSandbox(deps, { ...key, incarnation: 1, slice: 1, maxAttempts: 1 }, 1, lifecycle());
  await runSlice(deps, key, 0, fence(2), lifecycle());
  await verifyStep(deps, key, 0, fence(3), lifecycle());
  await finalizeAttempt(deps, { ...key, incarnation: 1, maxAttempts: 1, ended: null });
}
