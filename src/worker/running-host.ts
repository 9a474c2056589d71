import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Worker } from '@temporalio/worker';
import type { ActivityDeps } from '../../activities/activity-deps.js';
import { type HealthChecks, HostHealth } from './host-health.js';
import type { HostPresence } from './host-presence.js';
import type { HostStatus, HostWorker } from './host-worker.js';
import type { HostWorkers } from './host-workers.js';

const DRAIN_POLL_MS = 250;

export interface RunningHostParts {
  deps: ActivityDeps;
  client: Client;
  presence: HostPresence;
  status(): Omit<HostStatus, 'draining'>;
  held(): Record<string, number>;
  /** Aborted when the host is to stop: activities return at their next record. */
  stop: AbortController;
  /** Gives back what the host holds, once its workers have ended. */
  release(): Promise<void>;
}

/** The Workers of a host while they run, and their orderly end. */
export class RunningHost implements HostWorker {
  readonly hostId: string;
  readonly done: Promise<void>;
  private readonly all: Worker[];
  private readonly placing: Promise<unknown>;
  private readonly checks: HostHealth;
  private draining = false;

  constructor(
    private readonly workers: HostWorkers,
    private readonly parts: RunningHostParts,
  ) {
    this.hostId = parts.deps.hostId;
    this.checks = new HostHealth(parts.deps, parts.client);
    this.all = [...workers.pools, ...workers.others];
    const running = new Map(this.all.map((worker) => [worker, worker.run()]));
    this.placing = Promise.allSettled(workers.pools.map((pool) => running.get(pool)));
    this.done = Promise.all(running.values())
      .then(() => undefined)
      .finally(() => parts.release());
    const { logger } = parts.deps;
    this.done.catch((error: unknown) => logger.error({ err: error }, 'the host worker failed'));
  }

  status(): HostStatus {
    return { ...this.parts.status(), draining: this.draining };
  }

  held(): Record<string, number> {
    return this.parts.held();
  }

  health(): Promise<HealthChecks> {
    const { stop } = this.parts;
    const polling = !stop.signal.aborted && this.workers.others.every((w) => w.getState() === 'RUNNING');
    return this.checks.check(polling);
  }

  async drain(timeoutMs: number): Promise<boolean> {
    const deadline = this.parts.deps.now() + timeoutMs;
    this.draining = true;
    await this.parts.presence.drain();
    stopAll(this.workers.pools);
    // A placement in the air becomes a sandbox, or goes back to the pool.
    await Promise.race([this.placing, sleep(timeoutMs, undefined, { ref: false })]);
    while (this.liveSandboxes > 0) {
      if (this.parts.deps.now() >= deadline || this.parts.stop.signal.aborted) return false;
      await sleep(DRAIN_POLL_MS);
    }
    return true;
  }

  async shutdown(): Promise<void> {
    this.parts.stop.abort();
    stopAll(this.all);
    await this.done.catch(() => undefined);
  }

  private get liveSandboxes(): number {
    return Object.values(this.parts.status().live).reduce((sum, n) => sum + n, 0);
  }
}

function stopAll(workers: readonly Worker[]): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}
