import type { GroupRoom } from '../group/group-board.js';

/** What a partition knows of its rollouts: how many may run, how many do. Pure, so that it is tested alone. */
export class PartitionBoard {
  done: number;
  paused: boolean;
  private single = 0;
  private readonly held = new Set<string>();
  private readonly groups = new Map<string, GroupRoom>();
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

  /** Rollouts in flight. */
  get running(): number {
    return this.single + sum(this.groups, ({ room, held }) => room + held);
  }

  get mayStart(): boolean {
    return this.fits(1);
  }

  /** Whether there is room for so many rollouts at once. */
  fits(rollouts: number): boolean {
    return !this.paused && this.active + rollouts <= this.window;
  }

  /** Rollouts that wait for a budget to be raised take no room meanwhile. */
  hold(id: string, held: boolean): void {
    if (held) this.held.add(id);
    else this.held.delete(id);
  }

  get heldCount(): number {
    return this.held.size + sum(this.groups, ({ held }) => held);
  }

  private get active(): number {
    return this.single - this.held.size + sum(this.groups, ({ room }) => room);
  }

  /** What has not been started never will be. */
  dropRest(): void {
    this.unstarted = 0;
  }

  started(): void {
    this.unstarted -= 1;
    this.single += 1;
  }

  closed(): void {
    this.single -= 1;
    this.done += 1;
  }

  /** A group of `size` rollouts that runs up to `room` of them at once. */
  groupStarted(id: string, size: number, room: number): void {
    this.unstarted -= size;
    this.groups.set(id, { room, held: 0 });
  }

  /** What a running group says of its members. */
  groupChanged(id: string, room: GroupRoom): void {
    if (this.groups.has(id)) this.groups.set(id, room);
  }

  groupClosed(id: string, size: number): void {
    this.groups.delete(id);
    this.done += size;
  }

  /**
   * What to tell the run once nothing is left to start, or null: in steps of a twentieth of the
   * window, so that a wide window does not cost a signal per rollout.
   */
  takeTail(): number | null {
    if (this.unstarted > 0) return null;
    const step = Math.max(1, Math.floor(this.window / 20));
    const news = this.heldCount > 0 || this.heldBefore ? this.active !== this.lastTold : false;
    // A group may be widened when nothing is left to start.
    if (!news && this.active <= this.lastTold && this.lastTold - this.active < step) return null;
    this.heldBefore = this.heldCount > 0;
    this.lastTold = this.active;
    return this.active;
  }
}

function sum<T>(values: ReadonlyMap<string, T>, of: (value: T) => number): number {
  let total = 0;
  for (const value of values.values()) total += of(value);
  return total;
}
