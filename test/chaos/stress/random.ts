/** A seeded source of randomness (mulberry32): the same seed, the same faults at the same times. */
export class Random {
  constructor(private state: number) {}

  /** In [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  pick<T>(from: readonly T[]): T {
    const one = from[Math.floor(this.next() * from.length)];
    if (one === undefined) throw new Error('nothing to pick from');
    return one;
  }
}
