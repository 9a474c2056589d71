import { type BudgetScope, type BudgetStop, NO_TALLY, type Tally } from '../../core/budget/budget.js';
import type { Purse } from '../../core/budget/purse.js';
import type { BudgetShare, Reservation } from './budget-share.js';

/** A call that must not be made: which ceiling it would go over, and whose. */
export interface Refusal {
  stop: BudgetStop;
  scope: BudgetScope;
}

/** The ceilings that the calls of one rollout must fit under; null where there is none. */
export interface CallCeilings {
  rollout: Purse | null;
  group: BudgetShare | null;
  run: BudgetShare | null;
}

/** Reserves a call's bound under every ceiling at once, or under none. */
export class CallBudget {
  constructor(
    private readonly ceilings: CallCeilings,
    /** Reads the ceilings again and answers whether they were changed. */
    private readonly refresh: () => Promise<boolean> = () => Promise.resolve(false),
  ) {}

  /** A reservation, why the call is refused, or `wait`: it may fit once calls in flight have ended. */
  async reserve(bound: Tally): Promise<Reservation | Refusal | 'wait'> {
    const answer = await this.tryReserve(bound);
    if (answer === 'wait' || !('stop' in answer)) return answer;
    // A refusal ends something for good: not on the word of a ceiling that was raised meanwhile.
    return (await this.refresh()) ? this.tryReserve(bound) : answer;
  }

  /** Why a call of this bound would be refused if nothing else were in flight; null when it would not. */
  async refuses(bound: Tally): Promise<Refusal | null> {
    const refusal = await this.tryRefuse(bound);
    return refusal !== null && (await this.refresh()) ? this.tryRefuse(bound) : refusal;
  }

  private async tryReserve(bound: Tally): Promise<Reservation | Refusal | 'wait'> {
    const held: Reservation[] = [];
    for (const scope of ['rollout', 'group', 'run'] as const) {
      const answer = await this.reserveOf(scope, bound).catch((error: unknown) => {
        settleAll(held, NO_TALLY);
        throw error;
      });
      if (answer === null) continue;
      if (typeof answer === 'object') {
        held.push(answer);
        continue;
      }
      settleAll(held, NO_TALLY);
      return answer === 'wait' ? answer : { stop: answer, scope };
    }
    return { settle: (used) => settleAll(held, used) };
  }

  private async tryRefuse(bound: Tally): Promise<Refusal | null> {
    for (const scope of ['rollout', 'group', 'run'] as const) {
      const stop = (await this.ceilings[scope]?.refuses(bound)) ?? null;
      if (stop !== null) return { stop, scope };
    }
    return null;
  }

  private async reserveOf(
    scope: BudgetScope,
    bound: Tally,
  ): Promise<Reservation | BudgetStop | 'wait' | null> {
    if (scope !== 'rollout') return (await this.ceilings[scope]?.reserve(bound)) ?? null;
    const purse = this.ceilings.rollout;
    if (purse === null) return null;
    return purse.reserve(bound) ?? { settle: (used) => purse.settle(bound, used) };
  }
}

function settleAll(held: readonly Reservation[], used: Tally): void {
  for (const reservation of held) reservation.settle(used);
}
