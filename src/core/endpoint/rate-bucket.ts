import { MINUTE_MS } from '../time.js';

/** Spreads what may be spent per minute evenly; what is spent beyond is owed. */
export class RateBucket {
  private level: number;
  private at = 0;
  private perMinute: number | null = null;

  /** At most `burst` units are saved up. */
  constructor(private burst: number) {
    this.level = burst;
  }

  /** Null = no limit. */
  setRate(perMinute: number | null, burst: number, now: number): void {
    this.refill(now);
    this.perMinute = perMinute;
    this.burst = burst;
    this.level = Math.min(this.level, burst);
  }

  /** Milliseconds until `units` (or a full bucket, if that is less) are there; 0 = now. */
  waitMs(units: number, now: number): number {
    this.refill(now);
    if (this.perMinute === null) return 0;
    const missing = Math.min(units, this.burst) - this.level;
    if (missing <= 1e-9) return 0;
    return this.perMinute <= 0 ? MINUTE_MS : Math.ceil((missing / this.perMinute) * MINUTE_MS);
  }

  take(units: number): void {
    if (this.perMinute !== null) this.level -= units;
  }

  private refill(now: number): void {
    const elapsed = Math.max(0, now - this.at);
    this.at = now;
    const gained = this.perMinute === null ? this.burst : (elapsed / MINUTE_MS) * this.perMinute;
    this.level = Math.min(this.burst, this.level + gained);
  }
}
