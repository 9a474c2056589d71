/** What a partition knows of its rollouts: how many may run, how many do. Pure, so that it is tested alone. */
export class PartitionBoard {
  running = 0;
  done: number;
  paused: boolean;
  private readonly held = new Set<string>();
  private lastTold = Number.POSITIVE_INFINITY;
  private heldBefore = false;
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
    return !this.paused && this.active < this.window;
  }

  /** Rollouts that wait for a budget to be raised take no room meanwhile. */
  hold(id: string, held: boolean): void {
    if (held) this.held.add(id);
    else this.held.delete(id);
  }

  get heldCount(): number {
    return this.held.size;
  }

  private get active(): number {
    return this.running - this.held.size;
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
    const news = this.held.size > 0 || this.heldBefore ? this.active !== this.lastTold : false;
    if (!news && this.lastTold - this.active < step) return null;
    this.heldBefore = this.held.size > 0;
    this.lastTold = this.active;
    return this.active;
  }
}
