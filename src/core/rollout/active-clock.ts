/**
 * The agent's clock: recorded model latency plus tool time, in milliseconds.
 * Waiting for a worker, a host, a rate limit, an outage or a pause never counts, so the clock
 * is a sum over records and not a difference of wall times.
 */
export class ActiveClock {
  private usedMs = 0;

  constructor(private readonly limitMs: number | null) {}

  charge(durationMs: number): void {
    this.usedMs += Math.max(0, durationMs);
  }

  get elapsedMs(): number {
    return this.usedMs;
  }

  /** Milliseconds left; Infinity when the task sets no limit. */
  get remainingMs(): number {
    return this.limitMs === null ? Number.POSITIVE_INFINITY : Math.max(0, this.limitMs - this.usedMs);
  }

  get expired(): boolean {
    return this.remainingMs <= 0;
  }
}
