import { setTimeout as delay } from 'node:timers/promises';
import { SECOND_MS } from '../../core/time.js';
import { DiskAllowance } from './disk-allowance.js';

const ROUND_MS = 2 * SECOND_MS;
/** Measuring walks a container's own files: it may take this share of the engine's time. */
const MEASURING_SHARE = 1 / 20;

export interface DiskMeter {
  /** Bytes that a container has written over its image; null when it is not there any more. */
  measure(containerId: string): Promise<number | null>;
  /** Ends every process of a container but PID 1. */
  endProcesses(containerId: string): Promise<void>;
}

interface Watched {
  allowance: DiskAllowance;
  nextAtMs: number;
  struckAtMs: number | null;
}

/**
 * Holds containers to a limit of disk where the engine has no quota: measures them every two seconds and ends
 * the processes of those that exceed it. What a fast writer adds between two looks is not prevented.
 */
export class DiskWatchdog {
  private readonly watched = new Map<string, Watched>();
  private readonly closing = new AbortController();
  private keeping = false;

  constructor(
    private readonly meter: DiskMeter,
    private readonly roundMs = ROUND_MS,
  ) {}

  watch(containerId: string, limitBytes: number): void {
    // One that is made while its driver closes is watched by whichever process takes it up.
    if (this.closing.signal.aborted || this.watched.has(containerId)) return;
    const nextAtMs = performance.now() + this.roundMs;
    this.watched.set(containerId, { allowance: new DiskAllowance(limitBytes), nextAtMs, struckAtMs: null });
    if (!this.keeping) void this.keepWatch();
  }

  forget(containerId: string): void {
    this.watched.delete(containerId);
  }

  /** The limit that a container has exceeded since `sinceMs` (steady clock), so that its processes were ended; else null. */
  exceededSince(containerId: string, sinceMs: number): number | null {
    const watched = this.watched.get(containerId);
    const struck = (watched?.struckAtMs ?? Number.NEGATIVE_INFINITY) >= sinceMs;
    return watched !== undefined && struck ? watched.allowance.limitBytes : null;
  }

  /** For good. */
  close(): void {
    this.watched.clear();
    this.closing.abort();
  }

  /** One round after the other, as long as there is anything to watch. */
  private async keepWatch(): Promise<void> {
    const { signal } = this.closing;
    this.keeping = true;
    while (this.watched.size > 0) {
      await delay(this.roundMs, undefined, { signal, ref: false }).catch(() => undefined);
      for (const [id, watched] of this.watched) {
        // An engine that does not answer is asked again in the next round.
        if (performance.now() >= watched.nextAtMs) await this.look(id, watched).catch(() => undefined);
      }
    }
    this.keeping = false;
  }

  private async look(id: string, watched: Watched): Promise<void> {
    const startedAt = performance.now();
    const used = await this.meter.measure(id);
    const tookMs = performance.now() - startedAt;
    watched.nextAtMs = startedAt + Math.max(this.roundMs, tookMs / MEASURING_SHARE);
    if (used === null) return this.forget(id);
    if (!watched.allowance.isExceededBy(used)) return;
    watched.struckAtMs = performance.now();
    await this.meter.endProcesses(id);
    watched.allowance.struckAt((await this.meter.measure(id)) ?? used);
  }
}
