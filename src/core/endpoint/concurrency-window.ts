/** Survives continue-as-new. */
export interface WindowState {
  limit: number;
  /** Calls that were in flight at once and all answered. */
  proven: number;
  /** Where calls were refused last; null = not met yet, or passed since. */
  ceiling: number | null;
  /** Doubling until the first refusal. */
  slowStart: boolean;
  /** Answered with the window in full use, since it last changed. */
  answered: number;
  /** How many of them it takes before the ceiling is tried again, with `HOLD_AT` calls at once or more. */
  hold: number;
}

export const FIRST_WINDOW = 16;
const FIRST_HOLD = 100;
const LONGEST_HOLD = 16 * FIRST_HOLD;
/** Fewer calls at once hold for fewer answers in proportion: a window taken for too small is soon found out. */
const HOLD_AT = 6;
const LARGEST_WINDOW = 10_000;
/** An additive step is 1, or this part of the way to the ceiling, or of a window that has none. */
const STEP_PART = 1 / 4;
const OVERLOAD_FACTOR = 0.7;

export const freshWindow = (): WindowState => ({
  limit: FIRST_WINDOW,
  proven: 0,
  ceiling: null,
  slowStart: true,
  answered: 0,
  hold: FIRST_HOLD,
});

/**
 * How many calls an endpoint bears at once: slow start, additive increase, multiplicative decrease.
 * Below the last ceiling it stays for a while (as CUBIC does) instead of running into it every
 * round: refusals are to be rare.
 */
export class ConcurrencyWindow {
  constructor(readonly state: WindowState) {}

  get limit(): number {
    return this.state.limit;
  }

  /** After how many answers it may grow; null while it stays where it is. */
  get growsAfter(): number | null {
    const { slowStart, ceiling, limit } = this.state;
    if (slowStart) return Math.ceil(limit / 4);
    return ceiling === null || limit !== ceiling - 1 ? limit : null;
  }

  /**
   * `calls` were answered with the whole window in use. `sure`: no process has refusals that it has
   * not told yet.
   */
  answered(calls: number, sure: boolean): void {
    const { state } = this;
    state.answered += calls;
    // One more for each answer: twice as many after each round.
    if (state.slowStart) {
      this.grow(state.limit + calls);
      return;
    }
    // The first of them were sent when fewer were under way.
    if (!sure || state.answered < 2 * state.limit) return;
    state.proven = Math.max(state.proven, state.limit);
    if (state.ceiling === null) this.grow(state.limit + stepOf(state.limit));
    else if (state.limit >= state.ceiling) {
      state.ceiling = null;
      state.hold = FIRST_HOLD;
    } else if (state.limit < state.ceiling - 1)
      this.grow(Math.min(state.ceiling - 1, state.limit + stepOf(state.ceiling - state.limit)));
    else if (state.answered >= state.hold * Math.min(1, state.limit / HOLD_AT)) {
      state.hold = Math.min(LONGEST_HOLD, state.hold * 2);
      this.grow(state.ceiling);
    }
  }

  /** So many calls at once turned out not to be what was refused. */
  acquitted(inFlight: number): void {
    this.state.proven = Math.max(this.state.proven, Math.min(inFlight, this.state.limit));
  }

  /** Whether a refusal with so many calls in flight is news: fewer have all been answered. */
  isSuspect(inFlight: number): boolean {
    return this.state.limit > 1 && inFlight > this.state.proven;
  }

  /** More than may be made: calls begun before the window shrank, which say nothing of what it is now. */
  isExceeded(inFlight: number): boolean {
    return inFlight > this.state.limit;
  }

  /** Refused with so many calls in flight. */
  refused(inFlight: number): void {
    this.state.ceiling = this.refusedAt(inFlight);
    this.refusedAgain(inFlight);
  }

  /**
   * Refused again before anything was answered: calls of processes that had not heard of the first refusal may be
   * among them. Fewer are made, but where the ceiling is remains what the first one said.
   */
  refusedAgain(inFlight: number): void {
    const reached = this.refusedAt(inFlight);
    this.shrink(Math.max(Math.min(this.state.proven, reached - 1), Math.floor(reached / 2)));
  }

  /** Right after a refusal so many calls turn out to be in flight that were not refused: the ceiling is above them. */
  corrected(inFlight: number): void {
    const { state } = this;
    if (state.ceiling === null || inFlight < state.ceiling) return;
    state.ceiling = inFlight + 1;
    state.limit = Math.max(state.limit, Math.floor(state.ceiling / 2));
  }

  /** The endpoint says that it has too much to do. */
  overloaded(): void {
    this.state.ceiling = this.state.limit;
    this.shrink(Math.floor(this.state.limit * OVERLOAD_FACTOR));
  }

  private refusedAt(inFlight: number): number {
    return Math.max(2, Math.min(this.state.limit, inFlight));
  }

  private grow(to: number): void {
    this.state.limit = Math.min(LARGEST_WINDOW, to);
    this.state.answered = 0;
  }

  private shrink(to: number): void {
    const { state } = this;
    state.slowStart = false;
    state.limit = Math.max(1, to);
    state.proven = Math.min(state.proven, state.limit);
    state.answered = 0;
  }
}

const stepOf = (calls: number): number => Math.max(1, Math.floor(calls * STEP_PART));
