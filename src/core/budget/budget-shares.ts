import {
  addTally,
  type BudgetStop,
  type Ceiling,
  leastTally,
  mostTally,
  NO_TALLY,
  overrun,
  subtractTally,
  sumTallies,
  type Tally,
} from './budget.js';

/** What one worker process tells the keeper of a budget. Amounts are totals of its life as a holder. */
export interface ShareRequest {
  holder: string;
  /** One process at a time lives on a host: an earlier holder of the same host is dead. */
  host: string;
  /** Its last request: it gives all back and has nothing in flight. */
  leaves: boolean;
  /** Counts the holder's requests: an older one that arrives late is not acted on. */
  nth: number;
  /** What its settled calls took. */
  spent: Tally;
  /** What it may spend from now on, unless more is granted: it gives the rest of its share back. */
  keeps: Tally;
  /** The bound of a call that does not fit into its share; null when it only renews. */
  wants: Tally | null;
  ceiling: Ceiling;
  /** Which amendment of the run's limits the ceiling is from: the newest counts. */
  ceilingVersion: number;
  /** What the records say was spent, for the shares of processes that died. */
  records: { spent: Tally; knownBefore: Tally; lapsesBefore: number } | null;
}

export interface ShareAnswer {
  /** False: its share has lapsed. What it still has in flight was charged at its bound; it starts anew. */
  held: boolean;
  /** What the holder may spend in total. */
  share: Tally;
  /** Why the wanted call does not fit whatever becomes of the calls in flight; null = it does or may. */
  refused: BudgetStop | null;
  /** Spent by all as far as they have told. */
  known: Tally;
  /** Whether shares of dead processes are charged at more than they may have spent: the records would tell. */
  uncertain: boolean;
  /** How many shares have lapsed so far. */
  lapses: number;
}

interface Holder {
  host: string;
  nth: number;
  spent: Tally;
  share: Tally;
  expiresAt: number;
}

/** Nothing handed out yet. */
export function freshShares(ceiling: Ceiling, ceilingVersion: number, spentBefore: Tally): BudgetSharesState {
  return { ceiling, ceilingVersion, settled: spentBefore, lapsed: NO_TALLY, lapses: 0, holders: {} };
}

/** Survives continue-as-new. */
export interface BudgetSharesState {
  ceiling: Ceiling;
  ceilingVersion: number;
  /** Spent before anybody held a share, and by holders that are gone. */
  settled: Tally;
  /** Shares of the dead beyond what they told to have spent. */
  lapsed: Tally;
  lapses: number;
  holders: Record<string, Holder>;
}

/**
 * How a budget is handed out to processes: spent + shares ≤ ceiling. A process spends its share
 * without asking. What a dead one held is charged at its bound until the records tell. Pure; times
 * are the caller's.
 */
export class BudgetShares {
  constructor(
    readonly state: BudgetSharesState,
    private readonly leaseMs: number,
  ) {}

  get holders(): number {
    return Object.keys(this.state.holders).length;
  }

  ask(request: ShareRequest, now: number): ShareAnswer {
    this.expire(now);
    this.amend(request);
    if (request.records !== null) this.correct(request.records);
    const holder = this.find(request, now);
    if (holder === null) return this.answer(false, NO_TALLY, null);
    if (request.nth > holder.nth) {
      holder.nth = request.nth;
      holder.spent = request.spent;
      holder.share = mostTally(request.keeps, request.spent);
      holder.expiresAt = now + this.leaseMs;
      if (request.wants !== null) this.grant(holder, request.wants);
    }
    if (request.leaves) this.end(request.holder, holder);
    return this.answer(true, holder.share, this.refuses(request.wants));
  }

  /** Ends shares that were not renewed in time. */
  expire(now: number): void {
    for (const [name, holder] of Object.entries(this.state.holders))
      if (holder.expiresAt <= now) this.end(name, holder);
  }

  private end(name: string, { spent, share }: Holder): void {
    this.state.settled = addTally(this.state.settled, spent);
    this.state.lapsed = addTally(this.state.lapsed, subtractTally(share, spent));
    this.state.lapses += 1;
    delete this.state.holders[name];
  }

  private amend({ ceiling, ceilingVersion }: ShareRequest): void {
    if (ceilingVersion < this.state.ceilingVersion) return;
    this.state.ceiling = ceiling;
    this.state.ceilingVersion = ceilingVersion;
  }

  /** The dead spent no more than the records hold beyond what everybody had told before they were read. */
  private correct({ spent, knownBefore, lapsesBefore }: NonNullable<ShareRequest['records']>): void {
    // One that lapsed meanwhile may have spent after its records were read.
    if (lapsesBefore !== this.state.lapses) return;
    const untold = mostTally(subtractTally(spent, knownBefore), NO_TALLY);
    this.state.lapsed = leastTally(this.state.lapsed, untold);
  }

  /** A holder that is not known starts with nothing told; one that was is not taken back. */
  private find({ holder, host, nth }: ShareRequest, now: number): Holder | null {
    const known = this.state.holders[holder];
    if (known || nth > 1) return known ?? null;
    for (const [name, earlier] of Object.entries(this.state.holders))
      if (earlier.host === host) this.end(name, earlier);
    const expiresAt = now + this.leaseMs;
    const fresh: Holder = { host, nth: 0, spent: NO_TALLY, share: NO_TALLY, expiresAt };
    this.state.holders[holder] = fresh;
    return fresh;
  }

  /** Enough for the call where there is enough; with plenty, as much as is left for each other holder and a newcomer. */
  private grant(holder: Holder, wants: Tally): void {
    const { free } = this;
    if (overrun(free, wants) !== null) return;
    const portion = (wanted: number, left: number | null) =>
      left === null ? wanted : Math.min(left, Math.max(wanted, left / (this.holders + 1)));
    holder.share = addTally(holder.share, {
      tokens: portion(wants.tokens, free.tokens),
      costUsd: portion(wants.costUsd, free.costUsd),
    });
  }

  private get free(): Ceiling {
    const { ceiling, settled, lapsed, holders } = this.state;
    const shares = sumTallies(Object.values(holders).map(({ share }) => share));
    const taken = addTally(addTally(settled, lapsed), shares);
    const left = (top: number | null, amount: number) => (top === null ? null : Math.max(0, top - amount));
    return { tokens: left(ceiling.tokens, taken.tokens), costUsd: left(ceiling.costUsd, taken.costUsd) };
  }

  /** Whether a call would not fit even if nobody else had one in flight. */
  private refuses(wants: Tally | null): BudgetStop | null {
    return wants === null
      ? null
      : overrun(this.state.ceiling, addTally(addTally(this.known, this.state.lapsed), wants));
  }

  private get known(): Tally {
    return addTally(
      this.state.settled,
      sumTallies(Object.values(this.state.holders).map(({ spent }) => spent)),
    );
  }

  private answer(held: boolean, share: Tally, refused: BudgetStop | null): ShareAnswer {
    const { lapsed, lapses } = this.state;
    const uncertain = lapsed.tokens > 0 || lapsed.costUsd > 0;
    return { held, share, refused, known: this.known, uncertain, lapses };
  }
}
