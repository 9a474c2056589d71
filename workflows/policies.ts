import { ActivityCancellationType, type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { BookkeepingActivities } from '../activities/bookkeeping.js';
import type { ControlActivities } from '../activities/control.js';
import type { HostActivities } from '../activities/host.js';
import type { PoolActivities } from '../activities/pool.js';
import type { SinkActivities } from '../activities/sinks.js';
import { DEFAULT_STANDING, placementPriority } from '../src/core/run/pool-priority.js';
import { hostControlQueue } from '../src/core/run/queues.js';
import type { SinkName } from '../src/core/run/serve-config.schema.js';
import type { RolloutPolicy } from '../src/core/run/workflow-messages.js';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../src/core/time.js';

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

/** Waits in the pool until some host has room, then provisions: builds may take long. */
export function poolActivities(
  runId: string,
  { poolQueue, ...standing }: RolloutPolicy,
  isUrgent: boolean,
): PoolActivities {
  return proxyActivities<PoolActivities>({
    ...PATIENT,
    taskQueue: poolQueue,
    startToCloseTimeout: 3 * 60 * MINUTE_MS,
    priority: placementPriority(runId, { ...DEFAULT_STANDING, ...standing }, isUrgent),
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

/** A sink works as long as its run does, for weeks if need be: what fails is begun again for ever. */
export function sinkActivities(sink: SinkName, hostId: string | null): SinkActivities {
  return proxyActivities<SinkActivities>({
    ...PATIENT,
    ...sinkQueue(sink, hostId),
    startToCloseTimeout: 365 * DAY_MS,
  });
}

/** Taking leave is for the peer's good: the run ends without it in the end. */
export function closingSink(sink: SinkName, hostId: string | null): SinkActivities {
  return proxyActivities<SinkActivities>({
    ...PATIENT,
    ...sinkQueue(sink, hostId),
    scheduleToStartTimeout: MINUTE_MS,
    scheduleToCloseTimeout: 5 * MINUTE_MS,
  });
}

/** Any worker that orchestrates may post to a server; a port and a folder are on one host. */
function sinkQueue(sink: SinkName, hostId: string | null): ActivityOptions {
  return sink === 'atropos' || hostId === null ? {} : { taskQueue: hostControlQueue(hostId) };
}
