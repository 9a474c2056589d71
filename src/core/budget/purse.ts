import {
  addTally,
  type BudgetStop,
  type Ceiling,
  NO_TALLY,
  overrun,
  subtractTally,
  type Tally,
} from './budget.js';

/**
 * What was spent and is reserved against one ceiling. A call reserves its bound before it is made
 * and settles to what it really took, so concurrent calls cannot all slip under the same last dollar.
 */
export class Purse {
  private reserved: Tally = NO_TALLY;

  constructor(
    public ceiling: Ceiling,
    private spent: Tally,
  ) {}

  /**
   * Null when the call fits, and then its bound is reserved. `wait`: it fits once calls in flight
   * have settled to less than their bounds.
   */
  reserve(bound: Tally): BudgetStop | 'wait' | null {
    const refused = this.refuses(bound);
    if (refused !== null) return refused;
    if (overrun(this.ceiling, addTally(addTally(this.spent, this.reserved), bound)) !== null) return 'wait';
    this.reserved = addTally(this.reserved, bound);
    return null;
  }

  /** Why a call of this bound would be refused if nothing else were in flight; null when it would not. */
  refuses(bound: Tally): BudgetStop | null {
    return overrun(this.ceiling, addTally(this.spent, bound));
  }

  settle(reserved: Tally, used: Tally): void {
    this.reserved = subtractTally(this.reserved, reserved);
    this.spent = addTally(this.spent, used);
  }
}
