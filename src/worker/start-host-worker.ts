import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { HostLedgers } from '../core/host/host-ledgers.js';
import { type HostRole, holdsSandboxes } from '../core/host/host-role.js';
import type { SlotLedger } from '../core/host/slot-ledger.js';
import { MINUTE_MS, SECOND_MS } from '../core/time.js';
import { PASS_ON } from '../rollout/checkpoints.js';
import type { SandboxDriver } from '../sandbox/sandbox.js';
import { clusterId } from '../store/installation.js';
import { connectNative } from '../temporal/native-connection.js';
import { capacitiesOf } from './capacity.js';
import { claimHost } from './claim-host.js';
import { composeDeps, type HostDeps } from './compose-deps.js';
import { availableDrivers } from './drivers.js';
import { HostPresence } from './host-presence.js';
import type { HostWorker } from './host-worker.js';
import type { HostWorkerOptions } from './host-worker-options.js';
import { createHostWorkers } from './host-workers.js';
import { startDiskGuard } from './reaper/disk-guard.js';
import { startImageHousekeeping } from './reaper/image-loop.js';
import { OwnerStates } from './reaper/owner-state.js';
import { startReaper } from './reaper/reaper-loop.js';
import { startRounds } from './rounds.js';
import { RunningHost } from './running-host.js';
import { installRuntime } from './temporal-logger.js';

const SLICE_MS = 10 * SECOND_MS;
/** Between two pieces of work of a run that goes on a host rarely waits so long; what is kept costs little to have anew. */
const IDLE_MS = MINUTE_MS;
/** In an idle time. */
const IDLE_ROUNDS = 6;
const NO_DRIVERS: ReadonlyMap<string, SandboxDriver> = new Map();

/** What a host holds, given back in the order in which it was taken, newest first. */
class Held {
  private readonly givers: (() => unknown)[] = [];

  add(giveBack: () => unknown): void {
    this.givers.unshift(giveBack);
  }

  async giveBack(): Promise<void> {
    for (const give of this.givers) await give();
  }
}

/**
 * Becomes a host of a state folder: one process per host id at a time, by an exclusive lock.
 * Errors: `host_locked` (another live process is that host).
 */
export async function startHostWorker(options: HostWorkerOptions): Promise<HostWorker> {
  const { stateDir, cluster, hostId: named = null, role = 'all', supervised = false } = options;
  const { hostId, lock } = await claimHost(stateDir, named, { cluster: cluster.address, role, supervised });
  const held = new Held();
  held.add(() => lock.release());
  try {
    return await serveHost(options, { hostId, role, held });
  } catch (error) {
    await held.giveBack();
    throw error;
  }
}

interface Place {
  hostId: string;
  role: HostRole;
  held: Held;
}

async function serveHost(options: HostWorkerOptions, place: Place): Promise<HostWorker> {
  const { stateDir, store, cluster, client, logger } = options;
  const { hostId, role, held } = place;
  installRuntime(logger, options.metricsAddress ?? null);
  const capacities = capacitiesOf(options.capacity ?? null, options.concurrency);
  const connection = await connectNative(cluster);
  held.add(() => connection.close());
  const stop = new AbortController();
  // Every running activity listens to it.
  setMaxListeners(0, stop.signal);
  const deps = await compose(options, place, new HostLedgers(capacities), stop.signal);
  const perDriver = (count: (ledger: SlotLedger) => number) =>
    Object.fromEntries([...deps.drivers.keys()].map((driver) => [driver, count(deps.ledgers.of(driver))]));
  const capacity = perDriver((ledger) => ledger.capacity);
  const live = () => perDriver((ledger) => ledger.liveCount);
  const presence = await HostPresence.begin(store, { hostId, role, capacity, live }, logger);
  held.add(() => presence.leave());
  // Sandboxes found running count against the capacity before the first poll.
  const owners = new OwnerStates(client, deps.store, deps.now);
  const reaper = await startReaper(deps, owners);
  held.add(() => reaper.stop());
  const images = startImageHousekeeping(deps, { stateDir, diskKeepFree: options.diskKeepFree ?? null });
  held.add(() => images.stop());
  const disk = await startDiskGuard({ stateDir, ledgers: deps.ledgers, logger });
  held.add(() => disk.stop());
  const at = { connection, namespace: cluster.namespace, identity: `${process.pid}@${hostId}` };
  const idle = startRounds(
    idleOf(options) / IDLE_ROUNDS,
    () => deps.work.letGoOfIdle(),
    (error) => logger.warn({ err: error }, 'what is kept for runs that have ended is looked at again later'),
  );
  held.add(() => idle.stop());
  const workers = await createHostWorkers(at, deps, capacities, role);
  const status = () => ({ hostId, role, capacity, live: live() });
  const sum = (counts: Record<string, number>) =>
    Object.values(counts).reduce((all, count) => all + count, 0);
  const counts = () => ({
    ...deps.work.held(),
    sandboxes: sum(live()),
    forgottenRollouts: owners.waiting,
  });
  const release = () => held.giveBack();
  return new RunningHost(workers, { deps, client, presence, status, held: counts, stop, release });
}

const idleOf = ({ idleMs }: HostWorkerOptions): number => idleMs ?? IDLE_MS;

async function compose(
  options: HostWorkerOptions,
  { hostId, role, held }: Place,
  ledgers: HostLedgers,
  shutdown: AbortSignal,
): Promise<HostDeps> {
  const { store, client, logger } = options;
  const installation = await clusterId(store, randomUUID);
  const drivers = holdsSandboxes(role)
    ? await availableDrivers(options.stateDir, installation, logger)
    : NO_DRIVERS;
  for (const driver of drivers.values()) held.add(() => driver.close());
  const deps = composeDeps({
    stateDir: options.stateDir,
    store,
    client,
    logger,
    hostId,
    clusterId: installation,
    namespace: options.cluster.namespace,
    drivers,
    ledgers,
    sliceMs: options.sliceMs ?? SLICE_MS,
    idleMs: idleOf(options),
    shutdown,
    atCheckpoint: options.atCheckpoint ?? PASS_ON,
  });
  held.add(() => deps.closeModels());
  return deps;
}
