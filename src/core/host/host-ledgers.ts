import { SlotLedger } from './slot-ledger.js';

/**
 * A host's capacity, one ledger per sandbox driver: an idle poll for one kind of sandbox must not
 * hold a slot that another kind could use.
 */
export class HostLedgers {
  private readonly byDriver = new Map<string, SlotLedger>();

  private closed = false;

  constructor(private readonly capacities: ReadonlyMap<string, number>) {}

  /** Nothing new is taken in while they are closed. */
  close(closed: boolean): void {
    this.closed = closed;
    for (const ledger of this.byDriver.values()) ledger.close(closed);
  }

  get isClosed(): boolean {
    return this.closed;
  }

  of(driver: string): SlotLedger {
    const known = this.byDriver.get(driver);
    if (known) return known;
    const ledger = new SlotLedger(this.capacities.get(driver) ?? 0);
    ledger.close(this.closed);
    this.byDriver.set(driver, ledger);
    return ledger;
  }
}
