/** Numbers from 0 that were seen, nearly in order: all below a mark, and a few above it. */
export class SeenNumbers {
  private readonly above: Set<number>;

  constructor(
    private below = 0,
    above: Iterable<number> = [],
  ) {
    this.above = new Set(above);
  }

  get size(): number {
    return this.below + this.above.size;
  }

  /** False when it was seen before. */
  add(number: number): boolean {
    if (number < this.below || this.above.has(number)) return false;
    this.above.add(number);
    while (this.above.delete(this.below)) this.below += 1;
    return true;
  }

  snapshot(): { below: number; above: number[] } {
    return { below: this.below, above: [...this.above].sort((a, b) => a - b) };
  }
}
