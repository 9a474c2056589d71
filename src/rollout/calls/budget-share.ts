import {
  addTally,
  type BudgetStop,
  type Ceiling,
  leastTally,
  mostTally,
  NO_TALLY,
  overrun,
  subtractTally,
  type Tally,
} from '../../core/budget/budget.js';
import type { BudgetKeeper } from '../../core/budget/budget-keeper.js';
import type { ShareAnswer, ShareRequest } from '../../core/budget/budget-shares.js';
import { type Clock, SECOND_MS } from '../../core/time.js';

/** A share that its process does not renew for so long has lapsed. */
export const SHARE_LEASE_MS = 30 * SECOND_MS;
export const SHARE_RENEW_MS = 10 * SECOND_MS;
/** A process stops spending before the keeper takes its share for lapsed. */
const LEASE_MARGIN_MS = 5 * SECOND_MS;
/** Summing up the records of a large run takes a while. */
const RECORDS_AGAIN_MS = 5 * SECOND_MS;

/** A ceiling and which amendment of the run's limits it is from. */
export interface CurrentCeiling {
  ceiling: Ceiling;
  version: number;
}

export interface BudgetShareParts {
  host: string;
  keeper: BudgetKeeper;
  /** Spent so far according to the records, calls without an answer at their bounds. */
  spentSoFar(): Promise<Tally>;
  newId(): string;
  now: Clock;
}

/** A call's bound, held until it is known what the call took. */
export interface Reservation {
  settle(used: Tally): void;
}

/**
 * This process's share of one budget. Calls reserve from it without a round trip; it asks for more
 * when it is used up, and tells every 10 s what it spent.
 */
export class BudgetShare {
  private holder: string;
  private nth = 0;
  private spent = NO_TALLY;
  private reserved = NO_TALLY;
  private share = NO_TALLY;
  private lapsesAt = 0;
  private toldSpent = NO_TALLY;
  private askingNow: Promise<unknown> | null = null;
  private readRecordsAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly parts: BudgetShareParts,
    public current: CurrentCeiling,
  ) {
    this.holder = parts.newId();
  }

  /** A reservation, why the call is refused, or `wait`: it may fit once calls in flight have ended. */
  async reserve(bound: Tally): Promise<Reservation | BudgetStop | 'wait'> {
    for (let asked = 0; asked < 2; ) {
      if (this.fits(bound)) return this.take(bound);
      if (this.askingNow !== null) {
        await this.askingNow.catch(() => undefined);
        continue;
      }
      asked += 1;
      const refused = await this.askOnce(bound);
      if (refused !== null) return refused;
    }
    return this.fits(bound) ? this.take(bound) : 'wait';
  }

  /** Why a call would be refused if nothing were in flight anywhere; null when it would not. */
  async refuses(bound: Tally): Promise<BudgetStop | null> {
    for (;;) {
      if (this.fits(bound)) return null;
      if (this.askingNow === null) return await this.askOnce(bound);
      await this.askingNow.catch(() => undefined);
    }
  }

  /** Tells what was spent and gives back what was not needed lately. */
  async renew(): Promise<void> {
    const idle = isNothing(this.reserved) && isNothing(subtractTally(this.spent, this.toldSpent));
    const holdsNothing = isNothing(subtractTally(this.share, this.spent));
    if (this.nth === 0 || this.askingNow !== null || (idle && holdsNothing)) return;
    await this.alone(() => this.ask(null, subtractTally(this.spent, this.toldSpent)));
  }

  /** Gives all back. Only when nothing is in flight. A share that has lapsed is back already. */
  async leave(): Promise<void> {
    if (this.nth === 0 || !isNothing(this.reserved) || this.parts.now() >= this.lapsesAt) return;
    while (this.askingNow !== null) await this.askingNow.catch(() => undefined);
    await this.alone(() => this.ask(null, NO_TALLY, { leaves: true }));
    this.startAnew();
  }

  private fits(bound: Tally): boolean {
    if (this.parts.now() >= this.lapsesAt) return false;
    const { tokens, costUsd } = this.current.ceiling;
    const share = {
      tokens: tokens === null ? null : this.share.tokens,
      costUsd: costUsd === null ? null : this.share.costUsd,
    };
    return overrun(share, addTally(addTally(this.spent, this.reserved), bound)) === null;
  }

  private take(bound: Tally): Reservation {
    const { holder } = this;
    this.reserved = addTally(this.reserved, bound);
    return {
      settle: (used) => {
        // Whatever was in flight when the share lapsed was charged at its bound.
        if (holder !== this.holder) return;
        this.reserved = subtractTally(this.reserved, bound);
        this.spent = addTally(this.spent, used);
      },
    };
  }

  /** Asks for a call; before it is refused, the records tell what the dead have really spent. */
  private askOnce(bound: Tally): Promise<BudgetStop | null> {
    return this.alone(async () => {
      let answer = await this.ask(bound, NO_TALLY);
      const { known, lapses } = answer;
      const again = this.parts.now() - this.readRecordsAt >= RECORDS_AGAIN_MS;
      if (answer.held && answer.uncertain && again && !this.fits(bound)) {
        this.readRecordsAt = this.parts.now();
        const spent = await this.parts.spentSoFar();
        const records = { spent, knownBefore: known, lapsesBefore: lapses };
        answer = await this.ask(bound, NO_TALLY, { records });
      }
      return answer.held ? answer.refused : null;
    });
  }

  /** One request at a time: what it gives back is off the share before it is sent, so an answer that is lost costs nobody anything. */
  private async ask(
    wants: Tally | null,
    slack: Tally,
    extra: Partial<Pick<ShareRequest, 'leaves' | 'records'>> = {},
  ): Promise<ShareAnswer> {
    const { host, keeper, now } = this.parts;
    const { holder, spent } = this;
    const needed = addTally(spent, this.reserved);
    // Calls that took more than their bounds show here.
    this.share = mostTally(leastTally(this.share, addTally(needed, slack)), needed);
    this.nth += 1;
    const sentAt = now();
    const answer = await keeper.ask({
      holder,
      host,
      nth: this.nth,
      spent,
      keeps: this.share,
      wants,
      ceiling: this.current.ceiling,
      ceilingVersion: this.current.version,
      leaves: false,
      records: null,
      ...extra,
    });
    this.toldSpent = spent;
    if (!answer.held) this.startAnew();
    else {
      this.share = mostTally(this.share, answer.share);
      this.lapsesAt = sentAt + SHARE_LEASE_MS - LEASE_MARGIN_MS;
    }
    return answer;
  }

  private startAnew(): void {
    this.holder = this.parts.newId();
    this.nth = 0;
    this.spent = NO_TALLY;
    this.toldSpent = NO_TALLY;
    this.reserved = NO_TALLY;
    this.share = NO_TALLY;
    this.lapsesAt = 0;
  }

  /** Only called while nothing is being asked: requests of one holder must not overtake each other. */
  private async alone<T>(work: () => Promise<T>): Promise<T> {
    const working = work();
    this.askingNow = working;
    try {
      return await working;
    } finally {
      this.askingNow = null;
    }
  }
}

const isNothing = ({ tokens, costUsd }: Tally): boolean => tokens <= 0 && costUsd <= 1e-12;
