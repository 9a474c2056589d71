import { SECOND_MS } from '../time.js';

/** Survives continue-as-new. */
export interface PaceState {
  /** Calls per minute that were not refused; null = no such limit met. */
  found: number | null;
  /** What the endpoint's headers say. */
  told: number | null;
  /** Found in a few seconds, so the limit may be far above: raised in large steps until refused. */
  rough: boolean;
  /** Answered while the pace held calls back, since it last changed. */
  answered: number;
  changedAt: number;
  /** What the last refusal allows at most; Infinity does not survive as JSON. */
  cap: number | null;
  /** Small raises since the last refusal: each is larger than the one before. */
  raises: number;
}

/** Just below what was measured: the estimate must not run into the limit at once. */
const BELOW_MEASURED = 0.97;
const LEAST_CUT = 0.95;
const LARGEST_CUT = 0.5;
/** A first estimate from next to nothing would take too long to recover. */
const LEAST_ESTIMATE = 10;
/** What was seen for less is a rough estimate. */
const ROUGH_MS = 15 * SECOND_MS;
const LARGE_RAISE = 0.25;
const LARGE_RAISE_MS = 10 * SECOND_MS;
const SMALL_RAISE_MS = 30 * SECOND_MS;
/** A raise may cost a refusal: that many answers at least, at most, or what comes in so many minutes. */
const LEAST_RAISE_ANSWERS = 12;
const MOST_RAISE_ANSWERS = 40;
const RAISE_ANSWERS_MIN = 0.6;
/** So many in a row without a refusal: what was found is out of date, as after a passing shortage. */
const RAISES_TO_DOUBT = 3;
const FIRST_RAISE = 0.02;

export const freshPace = (): PaceState => ({
  found: null,
  told: null,
  rough: false,
  cap: null,
  answered: 0,
  changedAt: 0,
  raises: 0,
});

/**
 * How many calls an endpoint takes per minute: as its headers say, else as refusals show. Refused at
 * a concurrency that was fine before, what was answered in the last minute is about the limit.
 */
export class RequestPace {
  constructor(readonly state: PaceState) {}

  get perMinute(): number | null {
    const { found, told } = this.state;
    if (found === null || told === null) return found ?? told;
    return Math.min(found, told);
  }

  told(perMinute: number): void {
    this.state.told = perMinute;
  }

  /**
   * Refused with `taken` calls let through in the last minute, of which `knownMs` were seen. However
   * an endpoint counts (any minute, minutes of the clock, a bucket), that is no less than its limit.
   */
  refused(taken: number, knownMs: number, now: number): void {
    const { state } = this;
    const { found, told } = state;
    const measured = taken * BELOW_MEASURED;
    state.cap = null;
    if (found === null && told === null) {
      this.change(Math.max(LEAST_ESTIMATE, measured), now);
    } else {
      const refused = Math.min(found ?? told ?? 0, told ?? Number.POSITIVE_INFINITY);
      const least = refused * (told === null ? LARGEST_CUT : LEAST_CUT);
      state.cap = refused * LEAST_CUT;
      this.change(Math.max(1, Math.min(state.cap, Math.max(least, measured))), now);
    }
    state.rough = told === null && knownMs < ROUGH_MS;
    state.raises = 0;
  }

  /** Right after a refusal other processes tell of calls that it was not known of. */
  corrected(taken: number): void {
    const { state } = this;
    if (state.found === null) return;
    const measured = Math.min(taken * BELOW_MEASURED, state.cap ?? taken, state.told ?? taken);
    state.found = Math.max(state.found, measured);
  }

  /** `heldBack`: more calls would have been made. */
  answered(calls: number, heldBack: boolean, now: number): void {
    const { state } = this;
    const { found, rough } = state;
    if (found === null || !heldBack) return;
    state.answered += calls;
    const quietMs = now - state.changedAt;
    if (rough && quietMs >= LARGE_RAISE_MS) this.change(found * (1 + LARGE_RAISE), now);
    else if (!rough && quietMs >= SMALL_RAISE_MS && state.answered >= answersToRaise(found)) {
      this.change(found * (1 + FIRST_RAISE * 2 ** state.raises), now);
      state.raises += 1;
      state.rough = state.raises >= RAISES_TO_DOUBT;
    }
  }

  private change(found: number, now: number): void {
    this.state.found = Math.min(found, this.state.told ?? found);
    this.state.answered = 0;
    this.state.changedAt = now;
  }
}

const answersToRaise = (perMinute: number): number =>
  Math.max(LEAST_RAISE_ANSWERS, Math.min(MOST_RAISE_ANSWERS, perMinute * RAISE_ANSWERS_MIN));
