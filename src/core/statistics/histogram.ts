/** Numbers in [from, to). */
export interface Bin {
  from: number;
  to: number;
  count: number;
}

const FIRST_WIDTH = 0.1;
/** From 0 to 1, and as many again on both sides before bins are joined. */
const MAX_BINS = 24;
/** 0.7 lies in the bin that begins at 0.7, whatever 0.7 / 0.1 comes to in binary. */
const SLACK = 1e-9;
const FURTHEST_BIN = 2 ** 52;

/**
 * Counts of a stream of numbers whose range is not known before, in constant memory: bins a tenth wide, and
 * whenever they become too many, pairs of neighbours are joined. Bins stand at multiples of their width.
 */
export class Histogram {
  private width = FIRST_WIDTH;
  private counts = new Map<number, number>();

  add(value: number): void {
    const at = this.binOf(value);
    this.counts.set(at, (this.counts.get(at) ?? 0) + 1);
    while (this.span() > MAX_BINS) this.widen();
  }

  /** Far out everything is the last bin of its side: bins beyond what is exact would never be few enough. */
  private binOf(value: number): number {
    const at = Math.floor(value / this.width + SLACK);
    return Math.max(-FURTHEST_BIN, Math.min(FURTHEST_BIN, at));
  }

  /** In order, empty ones between the first and the last included. */
  bins(): Bin[] {
    if (this.counts.size === 0) return [];
    const [first, last] = this.ends();
    return Array.from({ length: last - first + 1 }, (_, i) => {
      const at = first + i;
      return { from: this.edge(at), to: this.edge(at + 1), count: this.counts.get(at) ?? 0 };
    });
  }

  private widen(): void {
    const joined = new Map<number, number>();
    for (const [at, count] of this.counts) {
      const half = Math.floor(at / 2);
      joined.set(half, (joined.get(half) ?? 0) + count);
    }
    this.counts = joined;
    this.width *= 2;
  }

  private span(): number {
    const [first, last] = this.ends();
    return last - first + 1;
  }

  private ends(): [number, number] {
    const at = [...this.counts.keys()];
    return [Math.min(...at), Math.max(...at)];
  }

  /** Rounded to what the width can tell: 0.3 instead of 0.30000000000000004. */
  private edge(at: number): number {
    return Number((at * this.width).toPrecision(12));
  }
}
