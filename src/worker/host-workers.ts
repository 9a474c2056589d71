import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { ActivityDeps } from '../../activities/activity-deps.js';
import { createBookkeepingActivities } from '../../activities/bookkeeping.js';
import { createControlActivities } from '../../activities/control.js';
import { createHostActivities } from '../../activities/host.js';
import { createPoolActivities } from '../../activities/pool.js';
import { hostControlQueue, hostQueue, poolQueue, workflowQueue } from '../core/queues.js';
import { SECOND_MS } from '../core/time.js';
import { ledgerSlotSupplier } from './slot-supplier.js';
import { workflowBundle } from './workflow-bundle.js';

/** Calls in the air get this long to end and be recorded; then the process may go. */
const GRACE_MS = 30 * SECOND_MS;
const FORCE_MS = GRACE_MS + 5 * SECOND_MS;
/** Parked rollouts stay in memory (about 0.1 MB each) instead of being replayed at every step. */
const CACHED_WORKFLOWS = 3_000;

/** How workflows and their queue are served; the bench measures the server with the same. */
export const WORKFLOW_WORKER = {
  maxCachedWorkflows: CACHED_WORKFLOWS,
  maxConcurrentWorkflowTaskPolls: 10,
  nonStickyToStickyPollRatio: 0.5,
  maxConcurrentActivityTaskExecutions: 50,
  maxConcurrentActivityTaskPolls: 4,
} satisfies Partial<WorkerOptions>;

export interface WorkerConnection {
  connection: NativeConnection;
  namespace: string;
  identity: string;
}

/** Every Worker of one host process: workflows and bookkeeping, a pool per driver, the host's two queues. */
export async function createHostWorkers(
  at: WorkerConnection,
  deps: ActivityDeps,
  capacities: ReadonlyMap<string, number>,
): Promise<Worker[]> {
  const base: Omit<WorkerOptions, 'taskQueue'> = {
    ...at,
    shutdownGraceTime: GRACE_MS,
    shutdownForceTime: FORCE_MS,
    maxHeartbeatThrottleInterval: 3 * SECOND_MS,
    defaultHeartbeatThrottleInterval: 3 * SECOND_MS,
  };
  const drivers = [...deps.drivers.keys()];
  const capacity = drivers.reduce((sum, driver) => sum + (capacities.get(driver) ?? 0), 0);
  return Promise.all([
    Worker.create({
      ...base,
      taskQueue: workflowQueue(),
      workflowBundle: await workflowBundle(),
      activities: createBookkeepingActivities(deps),
      ...WORKFLOW_WORKER,
    }),
    ...drivers.map((driver) => createPoolWorker(base, deps, driver)),
    Worker.create({
      ...base,
      taskQueue: hostQueue(deps.hostId),
      activities: createHostActivities(deps),
      // Slices wait for models most of the time: never let slots be what holds a sandbox up.
      maxConcurrentActivityTaskExecutions: 2 * capacity,
      maxConcurrentActivityTaskPolls: 5,
    }),
    Worker.create({
      ...base,
      taskQueue: hostControlQueue(deps.hostId),
      activities: createControlActivities(deps),
      maxConcurrentActivityTaskExecutions: 50,
      maxConcurrentActivityTaskPolls: 2,
    }),
  ]);
}

function createPoolWorker(
  base: Omit<WorkerOptions, 'taskQueue'>,
  deps: ActivityDeps,
  driver: string,
): Promise<Worker> {
  const unused = { type: 'fixed-size', numSlots: 1 } as const;
  return Worker.create({
    ...base,
    taskQueue: poolQueue(driver),
    activities: createPoolActivities(deps),
    maxConcurrentActivityTaskPolls: 4,
    tuner: {
      activityTaskSlotSupplier: ledgerSlotSupplier(deps.ledgers.of(driver)),
      workflowTaskSlotSupplier: unused,
      localActivityTaskSlotSupplier: unused,
      nexusTaskSlotSupplier: unused,
    },
  });
}
