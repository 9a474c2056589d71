import { WindowShares } from './window.js';

const OPEN_AT_ONCE = 2;

/** What a run knows of its partitions: which are open, what each may use. Pure, so that it is tested alone. */
export class RunBoard {
  paused: boolean;
  done: number;
  private readonly open = new Set<number>();
  private readonly shares: WindowShares;
  private readonly told = new Map<number, number>();

  constructor(
    public concurrency: number,
    state: { paused: boolean; done: number },
  ) {
    this.shares = new WindowShares(concurrency);
    this.paused = state.paused;
    this.done = state.done;
  }

  get openCount(): number {
    return this.open.size;
  }

  get openIndexes(): number[] {
    return [...this.open];
  }

  /** Two open at a time, the second only when the first leaves room. */
  get mayOpen(): boolean {
    return !this.paused && this.open.size < OPEN_AT_ONCE && this.shares.hasRoom;
  }

  resize(concurrency: number): void {
    this.concurrency = concurrency;
    this.shares.resize(concurrency);
  }

  /** Answers the new partition's share. */
  opened(index: number): number {
    this.open.add(index);
    this.shares.opened(index);
    const share = this.shares.shares().get(index) ?? 0;
    this.told.set(index, share);
    return share;
  }

  exhausted(index: number, running: number): void {
    this.shares.exhausted(index, running);
  }

  closed(index: number, done: number): void {
    this.open.delete(index);
    this.shares.closed(index);
    this.told.delete(index);
    this.done += done;
  }

  /** Shares that changed since they were told. A partition with nothing left to start needs none. */
  takeNews(): { index: number; share: number }[] {
    const news: { index: number; share: number }[] = [];
    for (const [index, share] of this.shares.shares()) {
      if (this.told.get(index) === share) continue;
      this.told.set(index, share);
      news.push({ index, share });
    }
    return news;
  }
}
