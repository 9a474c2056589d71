/**
 * How many sandboxes a host may hold: free = capacity − (permits + live).
 * A permit (a poll that may win a placement) becomes a live sandbox in one step; counting live
 * ones alone overshoots, because several placements are under way at once.
 */
export class SlotLedger {
  private permits = 0;
  /** Permits that already became sandboxes but whose slot the worker has not given back yet. */
  private converted = 0;
  private closed = false;
  private readonly live = new Set<string>();
  private readonly waiters: Array<() => void> = [];

  constructor(readonly capacity: number) {}

  get free(): number {
    return this.capacity - this.permits - this.live.size;
  }

  get liveCount(): number {
    return this.live.size;
  }

  /** While it is closed nothing new is taken in; what is there stays. */
  close(closed: boolean): void {
    this.closed = closed;
    if (!closed) this.wake();
  }

  get isClosed(): boolean {
    return this.closed;
  }

  tryReserve(): boolean {
    if (this.closed || this.free <= 0) return false;
    this.permits += 1;
    return true;
  }

  /** Resolves with a permit held; rejects with the reason of `signal` when that fires first. */
  async reserve(signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted) {
        // It may have been woken for a slot that another can take.
        this.wake();
        throw signal.reason;
      }
      if (this.tryReserve()) return;
      await new Promise<void>((resolve, reject) => {
        const wake = () => {
          signal.removeEventListener('abort', abort);
          resolve();
        };
        const abort = () => {
          this.waiters.splice(this.waiters.indexOf(wake), 1);
          reject(signal.reason);
        };
        signal.addEventListener('abort', abort, { once: true });
        this.waiters.push(wake);
      });
    }
  }

  /** The running placement made this sandbox: its permit becomes a live one, atomically. */
  convert(sandboxId: string): void {
    if (this.live.has(sandboxId)) return;
    this.live.add(sandboxId);
    if (this.permits > 0) {
      this.permits -= 1;
      this.converted += 1;
    }
  }

  /** A sandbox found running (adopted at start, before the first poll): counts without a permit. */
  adopt(sandboxId: string): void {
    this.live.add(sandboxId);
  }

  /** One sandbox takes the place of another, without its slot being free in between. */
  rename(from: string, to: string): void {
    if (this.live.delete(from)) this.live.add(to);
  }

  /** The worker gives a slot back: a permit unless that permit has become a sandbox. */
  release(): void {
    if (this.converted > 0) this.converted -= 1;
    else this.permits = Math.max(0, this.permits - 1);
    this.wake();
  }

  /** The sandbox is gone. */
  drop(sandboxId: string): void {
    if (this.live.delete(sandboxId)) this.wake();
  }

  private wake(): void {
    for (let i = this.free; i > 0 && this.waiters.length > 0; i--) this.waiters.shift()?.();
  }
}
