/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws `count` of a stream whose length nobody knows, each with the same chance (Vitter's algorithm R). */
export class Reservoir {
  private readonly drawn: number[] = [];
  private readonly random: () => number;
  private seen = 0;

  constructor(
    private readonly count: number,
    seed: number,
  ) {
    this.random = seededRandom(seed);
  }

  /** The next item of the stream. */
  pass(): void {
    const index = this.seen;
    this.seen += 1;
    const place = index < this.count ? index : Math.floor(this.random() * this.seen);
    if (place < this.count) this.drawn[place] = index;
  }

  /** Indices of the items that were drawn. */
  result(): Set<number> {
    return new Set(this.drawn);
  }
}
