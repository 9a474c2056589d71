/** How a group is worked off. */
export interface GroupTerms {
  /** Members without a result, at its start. */
  open: number;
  /** Members with a score, at its start. */
  scored: number;
  /** Scored members that make it valid. */
  needed: number;
  /** How long it waits for the others once it has them, in ms; null = for good. */
  deadlineMs: number | null;
}

/** What a group's parent is told: the room that its members take, and how many wait for a budget. */
export interface GroupRoom {
  room: number;
  held: number;
}

/**
 * What a group knows of its members: how many may run, what room they take, when those that are late are given
 * up. The deadline counts from the score that made the group valid, and stands still while it is paused.
 * Pure; times are ms.
 */
export class GroupBoard {
  /** Raised by everything that could change what to do next. */
  version = 0;
  /** The deadline has passed: what has not ended is cancelled. */
  expired = false;
  paused = false;
  private running = 0;
  private unstarted: number;
  private scored: number;
  private waitedMs = 0;
  private waitsSince: number | null = null;
  private readonly held = new Set<string>();
  private told: GroupRoom;

  constructor(
    private readonly terms: GroupTerms,
    private most: number,
    now: number,
  ) {
    this.unstarted = terms.open;
    this.scored = terms.scored;
    this.told = { room: most, held: 0 };
    this.settle(now);
  }

  /** Members may be started: the late ones too, which are cancelled at once, so that each has its result. */
  get mayStart(): boolean {
    return this.expired || (!this.paused && this.active < this.most);
  }

  get ended(): boolean {
    return this.running + this.unstarted === 0;
  }

  /** At most so many members at once. */
  resize(most: number): void {
    this.most = most;
  }

  pause(paused: boolean, now: number): void {
    this.paused = paused;
    this.settle(now);
  }

  started(): void {
    this.unstarted -= 1;
    this.running += 1;
  }

  closed(id: string, hasScore: boolean, now: number): void {
    this.held.delete(id);
    this.running -= 1;
    if (hasScore) this.scored += 1;
    this.settle(now);
  }

  /** Members that wait for a budget to be raised take no room meanwhile. */
  hold(id: string, held: boolean): void {
    if (held) this.held.add(id);
    else this.held.delete(id);
  }

  /** Until the deadline, in ms; null while none counts. */
  msLeft(now: number): number | null {
    if (this.waitsSince === null) return null;
    return Math.max(0, (this.terms.deadlineMs ?? 0) - this.waitedMs - (now - this.waitsSince));
  }

  /** What to tell the parent, or null: in quarters of the group, so that a member does not cost a signal. */
  takeNews(): GroupRoom | null {
    if (this.ended) return null;
    const room = Math.max(this.active, Math.min(this.most, this.active + this.unstarted));
    const held = this.held.size;
    const step = Math.max(1, Math.floor(this.most / 4));
    if (held === this.told.held && room <= this.told.room && this.told.room - room < step) return null;
    this.told = { room, held };
    return this.told;
  }

  private get active(): number {
    return this.running - this.held.size;
  }

  private settle(now: number): void {
    this.version += 1;
    if (this.waitsSince !== null) this.waitedMs += now - this.waitsSince;
    const { deadlineMs, needed } = this.terms;
    const counts = deadlineMs !== null && this.scored >= needed && !this.paused && !this.ended;
    this.waitsSince = counts ? now : null;
  }
}
