/** What a partition knows of its rollouts: how many may run, how many do. Pure, so that it is tested alone. */
export class PartitionBoard {
  running = 0;
  done: number;
  paused: boolean;
  private lastTold = Number.POSITIVE_INFINITY;
  private unstarted: number;

  constructor(
    unstarted: number,
    done: number,
    public window: number,
    paused: boolean,
  ) {
    this.unstarted = unstarted;
    this.done = done;
    this.paused = paused;
  }

  get mayStart(): boolean {
    return !this.paused && this.running < this.window;
  }

  started(): void {
    this.unstarted -= 1;
    this.running += 1;
  }

  closed(): void {
    this.running -= 1;
    this.done += 1;
  }

  /**
   * What to tell the run once nothing is left to start, or null: in steps of a twentieth of the
   * window, so that a wide window does not cost a signal per rollout.
   */
  takeTail(): number | null {
    if (this.unstarted > 0) return null;
    const step = Math.max(1, Math.floor(this.window / 20));
    if (this.lastTold - this.running < step) return null;
    this.lastTold = this.running;
    return this.running;
  }
}
