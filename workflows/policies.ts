import { ActivityCancellationType, type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { BookkeepingActivities } from '../activities/bookkeeping.js';
import type { ControlActivities } from '../activities/control.js';
import type { HostActivities } from '../activities/host.js';
import type { PoolActivities } from '../activities/pool.js';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../src/core/time.js';
import type { RolloutPolicy } from '../src/core/workflow-messages.js';

/** One proxy per policy. Work is bounded by time and heartbeats; only clean-up gives up early. */
const PATIENT: ActivityOptions = {
  heartbeatTimeout: 15 * SECOND_MS,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: SECOND_MS, backoffCoefficient: 2, maximumInterval: 30 * SECOND_MS },
};

/** Short reads and writes of the store, on the workflows' own queue. */
export const bookkeeping = proxyActivities<BookkeepingActivities>({
  ...PATIENT,
  startToCloseTimeout: 10 * MINUTE_MS,
});

/** Retries of rollouts whose group is open go before new placements. */
const RETRY_PRIORITY = 2;
const NEW_PRIORITY = 3;

/** Waits in the pool until some host has room, then provisions: builds may take long. */
export function poolActivities(taskQueue: string, isRetry: boolean): PoolActivities {
  return proxyActivities<PoolActivities>({
    ...PATIENT,
    taskQueue,
    startToCloseTimeout: 3 * 60 * MINUTE_MS,
    priority: { priorityKey: isRetry ? RETRY_PRIORITY : NEW_PRIORITY },
  });
}

/** Work beside the sandbox. A slice ends by itself; the limits only catch what heartbeats cannot. */
export function hostActivities(
  taskQueue: string,
  { hostLossMs, backstopMs }: Pick<RolloutPolicy, 'hostLossMs' | 'backstopMs'>,
): HostActivities {
  return proxyActivities<HostActivities>({
    ...PATIENT,
    taskQueue,
    startToCloseTimeout: DAY_MS,
    scheduleToCloseTimeout: backstopMs,
    ...(hostLossMs === null ? {} : { scheduleToStartTimeout: hostLossMs }),
  });
}

/** Removing a sandbox gets 30 s; after that it is the reaper's. */
export function controlActivities(taskQueue: string): ControlActivities {
  return proxyActivities<ControlActivities>({
    taskQueue,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    scheduleToCloseTimeout: 30 * SECOND_MS,
    retry: { initialInterval: SECOND_MS, backoffCoefficient: 2, maximumInterval: 5 * SECOND_MS },
  });
}
