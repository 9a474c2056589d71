/** Count, mean, variance and range of a stream of numbers, in constant memory (Welford 1962). */
export class RunningMoments {
  count = 0;
  min: number | null = null;
  max: number | null = null;
  private center = 0;
  private squares = 0;

  add(value: number): void {
    this.count += 1;
    const off = value - this.center;
    this.center += off / this.count;
    this.squares += off * (value - this.center);
    this.min = this.min === null ? value : Math.min(this.min, value);
    this.max = this.max === null ? value : Math.max(this.max, value);
  }

  get mean(): number | null {
    return this.count === 0 ? null : this.center;
  }

  /** Unbiased (divisor n − 1); null of fewer than two values. */
  get variance(): number | null {
    return this.count < 2 ? null : this.squares / (this.count - 1);
  }

  get sd(): number | null {
    return this.variance === null ? null : Math.sqrt(this.variance);
  }
}
