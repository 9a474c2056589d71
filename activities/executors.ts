import type { Lifecycle } from '../src/core/rollout/lifecycle.js';

interface Running {
  stop(): void;
  done: Promise<unknown>;
}

/**
 * One executor per name (of an attempt, of a sink) in this process: a newer one stops the older and waits for it, so
 * that a call in the air is recorded before anybody looks for its record.
 */
export class Executors {
  private readonly running = new Map<string, Running>();

  async run<T>(name: string, lifecycle: Lifecycle, work: (lifecycle: Lifecycle) => Promise<T>): Promise<T> {
    const older = this.running.get(name);
    const superseded = new AbortController();
    const stopping = AbortSignal.any([lifecycle.stopping, superseded.signal]);
    const done = (async () => {
      older?.stop();
      await older?.done.catch(() => undefined);
      return work({ cancelled: lifecycle.cancelled, stopping });
    })();
    const mine: Running = { stop: () => superseded.abort(), done };
    this.running.set(name, mine);
    try {
      return await done;
    } finally {
      if (this.running.get(name) === mine) this.running.delete(name);
    }
  }
}
