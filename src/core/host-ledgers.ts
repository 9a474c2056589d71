import { SlotLedger } from './slot-ledger.js';

/**
 * A host's capacity, one ledger per sandbox driver: an idle poll for one kind of sandbox must not
 * hold a slot that another kind could use.
 */
export class HostLedgers {
  private readonly byDriver = new Map<string, SlotLedger>();

  constructor(private readonly capacities: ReadonlyMap<string, number>) {}

  of(driver: string): SlotLedger {
    const known = this.byDriver.get(driver);
    if (known) return known;
    const ledger = new SlotLedger(this.capacities.get(driver) ?? 0);
    this.byDriver.set(driver, ledger);
    return ledger;
  }
}
