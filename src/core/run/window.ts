/**
 * How a run's window (rollouts in flight) is divided between its open partitions: the older one
 * takes what it can use; what it leaves goes to the next.
 */
export class WindowShares {
  /** Rollouts in flight of partitions that have nothing left to start, by index, oldest first. */
  private readonly tails = new Map<number, number>();
  private readonly open: number[] = [];

  constructor(private window: number) {}

  resize(window: number): void {
    this.window = window;
  }

  opened(index: number): void {
    this.open.push(index);
  }

  /** The partition has nothing left to start and `running` in flight. */
  exhausted(index: number, running: number): void {
    if (this.open.includes(index)) this.tails.set(index, running);
  }

  closed(index: number): void {
    this.tails.delete(index);
    const at = this.open.indexOf(index);
    if (at >= 0) this.open.splice(at, 1);
  }

  /** Whether another partition would find room. */
  get hasRoom(): boolean {
    return this.open.every((index) => this.tails.has(index));
  }

  /** Every open partition has nothing left to start and nothing in flight. */
  get drained(): boolean {
    return this.open.every((index) => this.tails.get(index) === 0);
  }

  /** Every open partition's share, oldest first. */
  shares(): Map<number, number> {
    const shares = new Map<number, number>();
    let left = this.window;
    for (const index of this.open) {
      const running = this.tails.get(index);
      const share = running ?? left;
      shares.set(index, share);
      left = Math.max(0, left - share);
    }
    return shares;
  }
}
