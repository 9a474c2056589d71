import type { PlaceAnswer, PlaceInput } from '../src/core/run/workflow-messages.js';
import { placeSandbox } from '../src/rollout/place.js';
import type { ActivityDeps } from './activity-deps.js';
import { withLifecycle } from './with-lifecycle.js';

export interface PoolActivities {
  /** Wins this host for an attempt; the poll itself waits for room. */
  placeSandbox(input: PlaceInput): Promise<PlaceAnswer>;
}

export function createPoolActivities(deps: ActivityDeps): PoolActivities {
  return {
    placeSandbox: (input) =>
      withLifecycle(deps.shutdown, (lifecycle, attempt) => placeSandbox(deps, input, attempt, lifecycle)),
  };
}
