import { rolloutId } from '../src/core/ids.js';
import type { Fence } from '../src/core/rollout/fence.js';
import type { SliceAnswer, StepInput, VerifyAnswer } from '../src/core/run/workflow-messages.js';
import { runSlice } from '../src/rollout/turns/slice.js';
import { verifyStep } from '../src/rollout/verify.js';
import type { ActivityDeps } from './activity-deps.js';
import { Executors } from './executors.js';
import { withLifecycle } from './with-lifecycle.js';

export interface HostActivities {
  /** The agent loop of one step, a slice at a time: until it is done or about 10 s have passed. */
  runTurns(input: StepInput): Promise<SliceAnswer>;
  /** Stops the agent, runs the step's tests, records the verdict. */
  verify(input: StepInput): Promise<VerifyAnswer>;
}

export function createHostActivities(deps: ActivityDeps): HostActivities {
  const executors = new Executors();
  const act = <T>(input: StepInput, work: typeof runSlice | typeof verifyStep): Promise<T> =>
    withLifecycle(deps.shutdown, (lifecycle, activityAttempt) =>
      executors.run(`${rolloutId(input)}/${input.attempt}`, lifecycle, (own) => {
        const { runId, taskId, sample, attempt, step, incarnation, slice } = input;
        const fence: Fence = { incarnation, slice, activityAttempt };
        return work(deps, { runId, taskId, sample, attempt }, step, fence, own) as Promise<T>;
      }),
    );
  return {
    runTurns: (input) => act<SliceAnswer>(input, runSlice),
    verify: (input) => act<VerifyAnswer>(input, verifyStep),
  };
}
