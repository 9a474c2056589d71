import { isBudget, type PauseReason } from './pause-reason.js';
import { WindowShares } from './window.js';

const OPEN_AT_ONCE = 2;

/** What a run knows of its partitions: which are open, what each may use. Pure, so that it is tested alone. */
export class RunBoard {
  /** Why nothing new is started; null while it is. */
  reason: PauseReason | null;
  /** More about that, in words. */
  detail: string | null;
  /** How often somebody has said to go on. */
  resumptions = 0;
  done: number;
  /** No partition is left to open. */
  allOpened = false;
  private readonly open = new Set<number>();
  private readonly started = new Set<number>();
  private readonly shares: WindowShares;
  /** Partitions with rollouts that wait for the budgets of their groups. */
  private readonly held = new Set<number>();
  private readonly told = new Map<number, number>();
  /** Groups without a score in a row: of partitions that are open, by index, and before them. */
  private readonly dead = new Map<number, number>();
  private deadBefore: number;

  constructor(
    public concurrency: number,
    state: {
      paused: boolean;
      done: number;
      reason?: PauseReason | null;
      detail?: string | null;
      dead?: number;
    },
  ) {
    this.deadBefore = state.dead ?? 0;
    this.shares = new WindowShares(concurrency);
    this.reason = state.paused ? (state.reason ?? 'person') : null;
    this.detail = state.detail ?? null;
    this.done = state.done;
  }

  get paused(): boolean {
    return this.reason !== null;
  }

  /** A budget is the weakest reason: raising it must not resume what is paused for another, or by a person. */
  pause(reason: PauseReason, detail: string | null = null): void {
    if (this.reason === 'person' || (this.reason !== null && isBudget(reason) && !isBudget(this.reason)))
      return;
    this.reason = reason;
    this.detail = detail;
  }

  resume(): void {
    this.reason = null;
    this.detail = null;
    this.resumptions += 1;
    this.deadBefore = 0;
    this.dead.clear();
  }

  /** Groups in a row that have ended without a single score. */
  get deadGroups(): number {
    let total = this.deadBefore;
    for (const streak of this.dead.values()) total += streak;
    return total;
  }

  /** A group of a partition has ended, without a score or, told after such a one, with some. */
  groupEnded(index: number, dead: boolean): void {
    if (!dead) this.deadBefore = 0;
    this.dead.set(index, dead ? (this.dead.get(index) ?? 0) + 1 : 0);
  }

  /** What to say of it: also when all that is left waits for the budgets of its groups. */
  get standstill(): PauseReason | null {
    const waits = this.allOpened && this.held.size > 0 && this.shares.drained;
    return this.reason ?? (waits ? 'group_budget' : null);
  }

  get openCount(): number {
    return this.open.size;
  }

  get openIndexes(): number[] {
    return [...this.open];
  }

  /** Open ones whose workflows are known to have started: what is sent to others is lost. */
  get startedIndexes(): number[] {
    return [...this.started];
  }

  /** Two open at a time, the second only when the first leaves room. */
  get mayOpen(): boolean {
    return !this.paused && this.open.size < OPEN_AT_ONCE && this.shares.hasRoom;
  }

  /** `tellAll`: partitions whose share stays want to know, too. */
  resize(concurrency: number, tellAll = false): void {
    this.concurrency = concurrency;
    this.shares.resize(concurrency);
    if (tellAll) this.told.clear();
  }

  /** Answers the new partition's share. */
  opened(index: number): number {
    this.open.add(index);
    this.shares.opened(index);
    const share = this.shares.shares().get(index) ?? 0;
    this.told.set(index, share);
    return share;
  }

  /** Its workflow takes messages from now on. */
  hasStarted(index: number): void {
    if (this.open.has(index)) this.started.add(index);
  }

  /** `held`: of its rollouts, those that wait for the budgets of their groups. */
  exhausted(index: number, running: number, held = 0): void {
    this.shares.exhausted(index, running);
    if (held > 0) this.held.add(index);
    else this.held.delete(index);
  }

  closed(index: number, done: number): void {
    this.open.delete(index);
    this.started.delete(index);
    this.shares.closed(index);
    this.held.delete(index);
    this.told.delete(index);
    this.deadBefore += this.dead.get(index) ?? 0;
    this.dead.delete(index);
    this.done += done;
  }

  /** Shares that changed since they were told, of those partitions that can be told of it. */
  takeNews(tellable: readonly number[] = this.openIndexes): { index: number; share: number }[] {
    const news: { index: number; share: number }[] = [];
    for (const [index, share] of this.shares.shares()) {
      if (this.told.get(index) === share || !tellable.includes(index)) continue;
      this.told.set(index, share);
      news.push({ index, share });
    }
    return news;
  }
}
