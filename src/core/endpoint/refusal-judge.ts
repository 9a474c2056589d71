import { SECOND_MS } from '../time.js';
import type { ConcurrencyWindow, WindowState } from './concurrency-window.js';
import type { Refusal } from './messages.js';
import type { RequestPace } from './request-pace.js';

const FIRST_COOLDOWN_MS = SECOND_MS / 2;
const LONGEST_COOLDOWN_MS = 15 * SECOND_MS;
const CORRECTION_MS = 3 * SECOND_MS;

/** Survives continue-as-new. Times are epoch milliseconds of the keeper's clock. */
export interface JudgeState {
  firstAt: number;
  /** Calls sent before are no evidence against what was decided then. */
  decidedAt: number;
  coolUntil: number;
  /** Refusals in a row, each after its own wait, without an answer. */
  streak: number;
  /** Until then what was found may be corrected by processes that have yet to tell of their calls. */
  correctUntil: number;
  /** What was known before the newest refusal was put down to too many calls at once. */
  suspicion: { window: WindowState; inFlight: number; taken: number; knownMs: number } | null;
}

/** What all processes together have under way and had let through when a call was refused. */
export interface Circumstances {
  inFlight: number;
  lastMinute: number;
}

export const openMind = (now: number): JudgeState => ({
  firstAt: now,
  decidedAt: 0,
  coolUntil: 0,
  streak: 0,
  correctUntil: 0,
  suspicion: null,
});

/** Finds out what refusals are about: calls at once, or calls per minute. A 429 says nothing of it. */
export class RefusalJudge {
  constructor(
    readonly state: JudgeState,
    private readonly window: ConcurrencyWindow,
    private readonly pace: RequestPace,
  ) {}

  /** Whether it is not known if any call is answered: one at a time will tell. */
  get trying(): boolean {
    return this.state.streak > 1;
  }

  /** A call was answered that had been sent at `sentAt`. */
  answered(sentAt: number): void {
    if (sentAt <= this.state.decidedAt) return;
    this.state.streak = 0;
    if (this.state.suspicion !== null) this.state.correctUntil = 0;
    this.state.suspicion = null;
  }

  /** Answers whether it was news. */
  refused(refusal: Refusal, found: Circumstances, now: number): boolean {
    const { state } = this;
    const { retryInMs } = refusal;
    if (retryInMs !== null) state.coolUntil = Math.max(state.coolUntil, now + retryInMs);
    if (now - refusal.sentAgoMs <= state.decidedAt) return false;
    state.streak += 1;
    if (retryInMs === null) {
      const wait = Math.min(LONGEST_COOLDOWN_MS, FIRST_COOLDOWN_MS * 2 ** (state.streak - 1));
      state.coolUntil = Math.max(state.coolUntil, now + wait);
    }
    // Until then calls may still be made by processes that have not heard of it.
    state.decidedAt = state.coolUntil;
    if (state.streak > 1) this.blameAgain(found, now);
    else this.blame(refusal, found, now);
    return true;
  }

  /** Reports that come right after a refusal tell of calls that were not known of. */
  correct({ inFlight, lastMinute }: Circumstances, now: number): void {
    const { suspicion, correctUntil } = this.state;
    if (now >= correctUntil) return;
    if (suspicion === null) this.pace.corrected(lastMinute);
    else this.window.corrected(Math.min(inFlight, suspicion.window.limit));
  }

  private blame({ told, overloaded }: Refusal, { inFlight, lastMinute }: Circumstances, now: number): void {
    const { state } = this;
    const knownMs = now - state.firstAt;
    const spent = told?.remainingRequests === 0 || told?.remainingTokens === 0;
    if (overloaded) this.window.overloaded();
    else if (!spent && this.window.isExceeded(inFlight)) return;
    else if (!spent && this.window.isSuspect(inFlight)) {
      state.suspicion = { window: { ...this.window.state }, inFlight, taken: lastMinute, knownMs };
      this.window.refused(inFlight);
      state.correctUntil = state.decidedAt + CORRECTION_MS;
    } else if (told?.remainingTokens !== 0) {
      this.pace.refused(lastMinute, knownMs, now);
      state.correctUntil = state.decidedAt + CORRECTION_MS;
    }
  }

  /** Without an answer in between. Refused all alone, it was not about calls at once. */
  private blameAgain({ inFlight, lastMinute }: Circumstances, now: number): void {
    const { suspicion } = this.state;
    if (suspicion === null || this.window.isExceeded(inFlight)) return;
    if (inFlight > 1) {
      this.window.refusedAgain(inFlight);
      return;
    }
    Object.assign(this.window.state, suspicion.window);
    this.window.acquitted(suspicion.inFlight);
    // Calls that were not known of when it was first refused.
    this.pace.refused(Math.max(suspicion.taken, lastMinute), suspicion.knownMs, now);
    this.state.suspicion = null;
  }
}
