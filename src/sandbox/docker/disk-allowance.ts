const MIB = 1024 * 1024;

/** What a container may grow after it was struck, so that the tests of its task can run. */
const HEADROOM_BYTES = 512 * MIB;
/** Strikes that are followed by new headroom; whoever goes on filling gets none. */
const LENIENT_STRIKES = 3;

/** How much a container may hold: its limit, and after each overrun a little more than it holds by then. */
export class DiskAllowance {
  private allowedBytes: number;
  private strikes = 0;

  constructor(readonly limitBytes: number) {
    this.allowedBytes = limitBytes;
  }

  /** Whether so much is too much. A container that was cleaned up is held to its limit again. */
  isExceededBy(usedBytes: number): boolean {
    if (usedBytes <= this.limitBytes) this.allowedBytes = this.limitBytes;
    return usedBytes > this.allowedBytes;
  }

  /** Its processes were ended; it holds so much now. */
  struckAt(usedBytes: number): void {
    this.strikes += 1;
    const headroom = this.strikes <= LENIENT_STRIKES ? HEADROOM_BYTES : 0;
    this.allowedBytes = Math.max(this.limitBytes, usedBytes + headroom);
  }
}
