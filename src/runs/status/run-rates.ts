import { SECOND_MS } from '../../core/time.js';

const WINDOW_MS = 30 * SECOND_MS;
/** An estimate from fewer finished rollouts jumps about. */
const MIN_FINISHED = 3;

/** Turns per second over a sliding window and the time that is left, from counts seen over time. */
export class RunRates {
  private readonly seen: { at: number; turns: number }[] = [];
  private first: { at: number; done: number } | null = null;

  observe(at: number, turns: number, done: number): void {
    this.first ??= { at, done };
    this.seen.push({ at, turns });
    while (this.seen.length > 2 && (this.seen[0]?.at ?? at) < at - WINDOW_MS) this.seen.shift();
  }

  get turnsPerSecond(): number | null {
    const [oldest, newest] = [this.seen[0], this.seen.at(-1)];
    if (!oldest || !newest || newest.at - oldest.at < SECOND_MS) return null;
    return Math.max(0, ((newest.turns - oldest.turns) / (newest.at - oldest.at)) * SECOND_MS);
  }

  /** Milliseconds until `total` are done at the pace since the first observation. */
  msLeft(at: number, done: number, total: number): number | null {
    if (!this.first || done >= total) return null;
    const finished = done - this.first.done;
    if (finished < MIN_FINISHED) return null;
    return ((at - this.first.at) / finished) * (total - done);
  }
}
