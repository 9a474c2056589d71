import { type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { ActivityDeps } from '../../activities/activity-deps.js';
import { createBookkeepingActivities } from '../../activities/bookkeeping.js';
import { createControlActivities } from '../../activities/control.js';
import { createEndpointActivities } from '../../activities/endpoints.js';
import { createHostActivities } from '../../activities/host.js';
import { createPoolActivities } from '../../activities/pool.js';
import { createSinkActivities, type SinkActivities } from '../../activities/sinks.js';
import { type HostRole, holdsSandboxes, orchestrates } from '../core/host/host-role.js';
import { hostControlQueue, hostQueue, poolQueue, workflowQueue } from '../core/run/queues.js';
import { SECOND_MS } from '../core/time.js';
import type { HostDeps } from './compose-deps.js';
import { countsWork } from './counts-work.js';
import { ledgerSlotSupplier } from './slot-supplier.js';
import { workflowBundle } from './workflow-bundle.js';

/** Calls in the air get this long to end and be recorded; then the process may go. */
const GRACE_MS = 30 * SECOND_MS;
const FORCE_MS = GRACE_MS + 5 * SECOND_MS;
/** Parked rollouts stay in memory (about 0.1 MB each) instead of being replayed at every step. */
const CACHED_WORKFLOWS = 3_000;

/** A sink holds its slot for as long as its run goes on. */
const SINK_SLOTS = 50;

/** How workflows and their queue are served; the bench measures the server with the same. */
export const WORKFLOW_WORKER = {
  maxCachedWorkflows: CACHED_WORKFLOWS,
  maxConcurrentWorkflowTaskPolls: 10,
  nonStickyToStickyPollRatio: 0.5,
  maxConcurrentActivityTaskExecutions: 50,
  maxConcurrentActivityTaskPolls: 4,
} satisfies Partial<WorkerOptions>;

type Base = Omit<WorkerOptions, 'taskQueue'>;

export interface WorkerConnection {
  connection: NativeConnection;
  namespace: string;
  identity: string;
}

/** The Workers of one process: those that win placements, and all others. */
export interface HostWorkers {
  pools: Worker[];
  others: Worker[];
}

/** Workflows and bookkeeping, and for a host a pool per driver and its two queues. */
export async function createHostWorkers(
  at: WorkerConnection,
  deps: HostDeps,
  capacities: ReadonlyMap<string, number>,
  role: HostRole,
): Promise<HostWorkers> {
  const base: Base = {
    ...at,
    shutdownGraceTime: GRACE_MS,
    shutdownForceTime: FORCE_MS,
    maxHeartbeatThrottleInterval: 3 * SECOND_MS,
    defaultHeartbeatThrottleInterval: 3 * SECOND_MS,
    interceptors: { activity: [countsWork(deps.work)] },
  };
  const drivers = holdsSandboxes(role) ? [...deps.drivers.keys()] : [];
  const sinks = createSinkActivities(deps);
  const [pools, others] = await Promise.all([
    Promise.all(drivers.map((driver) => createPoolWorker(base, deps, driver))),
    Promise.all([
      ...(orchestrates(role) ? [createWorkflowWorker(base, deps, sinks)] : []),
      ...(holdsSandboxes(role) ? createSandboxWorkers(base, deps, sinks, capacities) : []),
    ]),
  ]);
  return { pools, others };
}

async function createWorkflowWorker(base: Base, deps: ActivityDeps, sinks: SinkActivities): Promise<Worker> {
  return Worker.create({
    ...base,
    taskQueue: workflowQueue(),
    workflowBundle: await workflowBundle(),
    activities: { ...createBookkeepingActivities(deps), ...sinks },
    ...WORKFLOW_WORKER,
    maxConcurrentActivityTaskExecutions: WORKFLOW_WORKER.maxConcurrentActivityTaskExecutions + SINK_SLOTS,
  });
}

function createSandboxWorkers(
  base: Base,
  deps: ActivityDeps,
  sinks: SinkActivities,
  capacities: ReadonlyMap<string, number>,
): Promise<Worker>[] {
  const capacity = [...deps.drivers.keys()].reduce((sum, driver) => sum + (capacities.get(driver) ?? 0), 0);
  return [
    Worker.create({
      ...base,
      taskQueue: hostQueue(deps.hostId),
      activities: createHostActivities(deps),
      // Slices wait for models most of the time: never let slots be what holds a sandbox up.
      maxConcurrentActivityTaskExecutions: Math.max(1, 2 * capacity),
      maxConcurrentActivityTaskPolls: 5,
    }),
    Worker.create({
      ...base,
      taskQueue: hostControlQueue(deps.hostId),
      activities: { ...createControlActivities(deps), ...createEndpointActivities(deps), ...sinks },
      maxConcurrentActivityTaskExecutions: 50 + SINK_SLOTS,
      maxConcurrentActivityTaskPolls: 2,
    }),
  ];
}

function createPoolWorker(base: Base, deps: ActivityDeps, driver: string): Promise<Worker> {
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
