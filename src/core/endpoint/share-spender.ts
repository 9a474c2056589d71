import { MINUTE_MS, SECOND_MS } from '../time.js';
import {
  type CallOutcome,
  type CallTotals,
  type EndpointReport,
  type EndpointShare,
  NO_CALLS,
  type Refusal,
  type ToldLimits,
} from './messages.js';
import { RateBucket } from './rate-bucket.js';

/** What a process does without a share: its keeper is out of reach. */
export const FALLBACK_CONCURRENCY = 2;
/** So long it goes on with the last share while the keeper is out of reach. */
export const STALE_MS = 2 * MINUTE_MS;
const TRY_AGAIN_MS = 2 * SECOND_MS;
const FIRST_BACKOFF_MS = SECOND_MS / 2;
const LONGEST_BACKOFF_MS = 30 * SECOND_MS;
/** Calls of about a second may begin together; the rest is spread evenly. */
const BURST_MS = SECOND_MS;

/** A call that was let through. */
export interface Pass {
  sentAt: number;
  tokens: number;
  inFlight: number;
}

/** What keeps a call back; `waitMs` null = until another call ends. */
export interface Blocked {
  by: 'cooldown' | 'concurrency' | 'pace';
  waitMs: number | null;
}

/** Spends one process's share of an endpoint, and keeps what its keeper is to be told. Pure; times are the caller's. */
export class ShareSpender {
  private share: EndpointShare | null = null;
  private shareAt = 0;
  private notBefore = 0;
  private refusalsInRow = 0;
  private inFlight = 0;
  private readonly requests = new RateBucket(1);
  private readonly tokens = new RateBucket(1);
  private totals: CallTotals = NO_CALLS;
  /** Calls that were let through and not refused, oldest first. */
  private recent: Pass[] = [];
  private heldBack = { byConcurrency: false, byPace: false };
  private refusal: { retryAt: number | null; sentAt: number; of: Refusal } | null = null;
  private told: ToldLimits | null = null;
  private nth = 0;
  private answeredSinceReport = 0;
  private newestAnswered: number | null = null;
  /** Tokens of an average completion, for what a call may take. */
  private completion: number | null = null;

  constructor(private readonly who: Pick<EndpointReport, 'hostId' | 'process'>) {}

  get inFlightNow(): number {
    return this.inFlight;
  }

  /** Since when the endpoint has been down, as far as was told; null = it is up. */
  downSince(): number | null {
    return this.share?.downForMs == null ? null : this.shareAt - this.share.downForMs;
  }

  callsLastMinute(now: number): number {
    this.forget(now);
    return this.recent.length;
  }

  concurrency(now: number): number {
    if (this.share === null || now - this.shareAt > STALE_MS)
      return Math.min(FALLBACK_CONCURRENCY, this.share?.concurrency || FALLBACK_CONCURRENCY);
    return this.share.concurrency;
  }

  /** `askedAt`: when the share was asked for, so that its times end no later than the keeper meant. */
  take(share: EndpointShare, askedAt: number, now: number): void {
    this.share = share;
    this.shareAt = askedAt;
    const { requestsPerMinute: requests, tokensPerMinute: tokens } = share;
    this.requests.setRate(requests, Math.max(1, ((requests ?? 0) / MINUTE_MS) * BURST_MS), now);
    this.tokens.setRate(tokens, Math.max(1, ((tokens ?? 0) / MINUTE_MS) * 10 * BURST_MS), now);
    // The keeper knows of every wait that was told to it.
    this.notBefore = Math.max(this.refusal === null ? 0 : this.notBefore, now + share.waitMs);
  }

  /** Lets a call of so many tokens (completion: at most) through, or answers what keeps it back. */
  enter(tokens: { prompt: number; completion: number }, now: number): Pass | Blocked {
    if (now < this.notBefore) return { by: 'cooldown', waitMs: this.notBefore - now };
    if (this.inFlight >= this.concurrency(now)) {
      this.heldBack.byConcurrency = true;
      return { by: 'concurrency', waitMs: null };
    }
    const expected = tokens.prompt + Math.min(tokens.completion, (this.completion ?? tokens.completion) * 2);
    const waitMs = Math.max(this.requests.waitMs(1, now), this.tokens.waitMs(expected, now));
    if (waitMs > 0) {
      this.heldBack.byPace = true;
      return { by: 'pace', waitMs };
    }
    this.requests.take(1);
    this.tokens.take(expected);
    this.inFlight += 1;
    const pass = { sentAt: now, tokens: expected, inFlight: this.inFlight };
    this.recent.push(pass);
    return pass;
  }

  /** A call has ended. Answers whether the keeper should hear of it soon. */
  leave(pass: Pass, outcome: CallOutcome, completionTokens: number, now: number): boolean {
    this.inFlight -= 1;
    if (outcome.kind === 'neutral') return false;
    if ('told' in outcome && outcome.told !== null) this.told = outcome.told;
    if (outcome.kind === 'failed') {
      this.totals = { ...this.totals, failed: this.totals.failed + 1 };
      this.answeredSinceReport = 0;
      // The keeper says when the next one may try.
      if (this.downSince() !== null) this.notBefore = Math.max(this.notBefore, now + TRY_AGAIN_MS);
      return true;
    }
    if (outcome.kind === 'answered') return this.answered(pass, outcome.tokens, completionTokens);
    const counted = outcome.kind === 'refused' ? 'refused' : 'failed';
    this.totals = { ...this.totals, [counted]: this.totals[counted] + 1 };
    this.recent = this.recent.filter((other) => other !== pass);
    this.refused(pass, outcome, now);
    return true;
  }

  /** A call that was let through but never sent gives back what it took. */
  unused(pass: Pass): void {
    this.inFlight -= 1;
    this.requests.take(-1);
    this.tokens.take(-pass.tokens);
    this.recent = this.recent.filter((other) => other !== pass);
  }

  report(waiting: number, now: number): EndpointReport {
    this.forget(now);
    this.nth += 1;
    const refusal = this.refusal && {
      ...this.refusal.of,
      sentAgoMs: now - this.refusal.sentAt,
      retryInMs: this.refusal.retryAt === null ? null : Math.max(0, this.refusal.retryAt - now),
    };
    const report: EndpointReport = {
      ...this.who,
      nth: this.nth,
      inFlight: this.inFlight,
      waiting,
      totals: this.totals,
      answeredSentAgoMs: this.newestAnswered === null ? null : now - this.newestAnswered,
      lastMinute: {
        calls: this.recent.length,
        tokens: this.recent.reduce((sum, { tokens }) => sum + tokens, 0),
      },
      heldBack: this.heldBack,
      refusal,
      told: this.told,
    };
    this.heldBack = { byConcurrency: false, byPace: false };
    this.refusal = null;
    this.answeredSinceReport = 0;
    this.newestAnswered = null;
    return report;
  }

  private answered(pass: Pass, tokens: number, completionTokens: number): boolean {
    const { completion } = this;
    this.completion = completion === null ? completionTokens : completion * 0.9 + completionTokens * 0.1;
    this.tokens.take(tokens - pass.tokens);
    const wasDown = this.downSince() !== null || this.refusalsInRow > 1;
    this.totals = { ...this.totals, answered: this.totals.answered + 1 };
    pass.tokens = tokens;
    this.newestAnswered = Math.max(this.newestAnswered ?? 0, pass.sentAt);
    this.refusalsInRow = 0;
    this.answeredSinceReport += 1;
    const growsAfter = this.share?.renewAfter ?? Number.POSITIVE_INFINITY;
    return wasDown || (this.heldBack.byConcurrency && this.answeredSinceReport >= growsAfter);
  }

  private refused(
    pass: Pass,
    outcome: Extract<CallOutcome, { kind: 'refused' | 'overloaded' }>,
    now: number,
  ): void {
    this.refusalsInRow += 1;
    const backoff = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (this.refusalsInRow - 1));
    const retryAt = outcome.retryAfterMs === null ? null : now + outcome.retryAfterMs;
    this.notBefore = Math.max(this.notBefore, retryAt ?? now + backoff);
    const earlier = this.refusal;
    this.refusal = {
      sentAt: Math.max(pass.sentAt, earlier?.sentAt ?? 0),
      retryAt: retryAt === null ? (earlier?.retryAt ?? null) : Math.max(retryAt, earlier?.retryAt ?? 0),
      of: {
        sentAgoMs: 0,
        retryInMs: null,
        inFlight: Math.max(pass.inFlight, earlier?.of.inFlight ?? 0),
        overloaded: outcome.kind === 'overloaded',
        told: outcome.told,
      },
    };
  }

  private forget(now: number): void {
    const from = this.recent.findIndex(({ sentAt }) => sentAt > now - MINUTE_MS);
    this.recent = from < 0 ? [] : this.recent.slice(from);
  }
}
