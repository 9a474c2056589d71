import { SECOND_MS } from '../time.js';
import {
  BREAKER,
  type BreakerState,
  type BreakerTuning,
  CircuitBreaker,
  closedBreaker,
} from './circuit-breaker.js';
import { ConcurrencyWindow, freshWindow, type WindowState } from './concurrency-window.js';
import { maxMinShares, wholeShares } from './max-min-shares.js';
import {
  type CallTotals,
  type EndpointReport,
  type EndpointShare,
  type EndpointView,
  NO_CALLS,
  type Refusal,
} from './messages.js';
import { type JudgeState, openMind, RefusalJudge } from './refusal-judge.js';
import { freshPace, type PaceState, RequestPace } from './request-pace.js';

export const SHARE_VALID_MS = 30 * SECOND_MS;
const RENEW_MS = 10 * SECOND_MS;
/** For a process that gets less than is meant for it, until another has given it back. */
const RENEW_SOON_MS = SECOND_MS;
/** What does not divide evenly goes to another process after so long. */
const TURN_MS = 30 * SECOND_MS;

interface Holder {
  report: EndpointReport;
  granted: number;
  /** It has used what it is granted, and not been refused. */
  vouches: boolean;
  expiresAt: number;
  /** What it used by the report before. */
  earlier?: { used: number; until: number };
}

/** Survives continue-as-new. Times are epoch milliseconds of the keeper's clock. */
export interface BoardState {
  window: WindowState;
  pace: PaceState;
  tokensPerMinute: number | null;
  breaker: BreakerState;
  holders: Record<string, Holder>;
  /** Totals of processes that are gone. */
  gone: CallTotals;
  judge: JudgeState;
}

/** Input of the workflow that keeps a board. */
export interface EndpointInput {
  baseUrl: string;
  /** What continue-as-new carries over. */
  carried?: BoardState;
}

export const freshBoard = (now: number): BoardState => ({
  window: freshWindow(),
  pace: freshPace(),
  tokensPerMinute: null,
  breaker: closedBreaker(),
  holders: {},
  gone: NO_CALLS,
  judge: openMind(now),
});

/**
 * What all worker processes together know of one endpoint, and what each of them may do. Their
 * shares never add up to more than the endpoint bears: one grows when another has given back.
 */
export class EndpointBoard {
  private readonly window: ConcurrencyWindow;
  private readonly pace: RequestPace;
  private readonly judge: RefusalJudge;
  private readonly breaker: CircuitBreaker;
  private readonly nudges = new Set<string>();

  constructor(
    readonly state: BoardState,
    tuning: BreakerTuning = BREAKER,
  ) {
    this.window = new ConcurrencyWindow(state.window);
    this.pace = new RequestPace(state.pace);
    this.judge = new RefusalJudge(state.judge, this.window, this.pace);
    this.breaker = new CircuitBreaker(state.breaker, tuning);
  }

  get processes(): number {
    return Object.keys(this.state.holders).length;
  }

  /** Takes in what a process tells and answers what it may do from now on. */
  renew(report: EndpointReport, now: number): EndpointShare {
    this.expire(now);
    const { hostId } = report;
    const known = this.state.holders[hostId];
    if (known && known.report.process !== report.process) this.drop(hostId);
    const before = this.state.holders[hostId] ?? null;
    if (before === null || report.nth > before.report.nth) {
      const { granted, vouches } = before ?? { granted: 0, vouches: false };
      const earlier = { used: before === null ? 0 : usedBy(before), until: now };
      this.state.holders[hostId] = { report, granted, vouches, expiresAt: 0, earlier };
      this.learn(report, before?.report.totals ?? NO_CALLS, now);
    }
    const holder = this.state.holders[hostId] as Holder;
    holder.expiresAt = now + SHARE_VALID_MS;
    return this.grant(holder, now);
  }

  /** A process that has nothing in flight gives its share back. */
  leave(report: Pick<EndpointReport, 'hostId' | 'process'>): void {
    if (this.state.holders[report.hostId]?.report.process === report.process) this.drop(report.hostId);
  }

  /** Takes back the shares that were not renewed in time. */
  expire(now: number): void {
    for (const [hostId, holder] of Object.entries(this.state.holders))
      if (holder.expiresAt <= now) this.drop(hostId);
  }

  /** Hosts that had better ask again now: something has changed for them. */
  takeNudges(): string[] {
    const hosts = [...this.nudges].filter((hostId) => this.state.holders[hostId] !== undefined);
    this.nudges.clear();
    return hosts;
  }

  view(baseUrl: string, now: number): EndpointView {
    const totals = this.reports.reduce((sum, { totals: t }) => addCalls(sum, t), this.state.gone);
    const { coolUntil } = this.state.judge;
    const answers = totals.answered + totals.refused + totals.failed;
    return {
      baseUrl,
      processes: this.processes,
      concurrency: this.limit,
      inFlight: this.total(({ inFlight }) => inFlight),
      waiting: this.total(({ waiting }) => waiting),
      requestsPerMinute: this.pace.perMinute,
      tokensPerMinute: this.state.tokensPerMinute,
      requestsLastMinute: this.total(({ lastMinute }) => lastMinute.calls),
      tokensLastMinute: this.total(({ lastMinute }) => lastMinute.tokens),
      coolingDownUntil: coolUntil > now ? coolUntil : null,
      downSince: this.breaker.downSince,
      refusedShare: answers === 0 ? null : totals.refused / answers,
      at: now,
    };
  }

  private get takenLastMinute(): number {
    return this.total((r) => r.lastMinute.calls);
  }

  private get reports(): EndpointReport[] {
    return Object.values(this.state.holders).map(({ report }) => report);
  }

  private total(of: (report: EndpointReport) => number): number {
    return this.reports.reduce((sum, report) => sum + of(report), 0);
  }

  /** One call at a time while it is not known whether any is answered. */
  private get limit(): number {
    return this.trying ? 1 : this.window.limit;
  }

  private get trying(): boolean {
    return this.breaker.downSince !== null || this.judge.trying;
  }

  private drop(hostId: string): void {
    const totals = this.state.holders[hostId]?.report.totals ?? NO_CALLS;
    this.state.gone = addCalls(this.state.gone, totals);
    delete this.state.holders[hostId];
  }

  private nudgeOthers(hostId: string): void {
    for (const other of Object.keys(this.state.holders)) if (other !== hostId) this.nudges.add(other);
  }

  private learn(report: EndpointReport, before: CallTotals, now: number): void {
    const { told, refusal, heldBack, totals, hostId } = report;
    if (told?.requestsPerMinute) this.pace.told(told.requestsPerMinute);
    if (told?.tokensPerMinute) this.state.tokensPerMinute = told.tokensPerMinute;
    const wasTrying = this.trying;
    const wasDown = this.breaker.downSince !== null;
    const answered = totals.answered - before.answered;
    const failed = totals.failed - before.failed;
    if (answered > 0) {
      this.breaker.answered();
      this.judge.answered(now - (report.answeredSentAgoMs ?? now));
      if (refusal === null) {
        this.answered(hostId, answered);
        this.pace.answered(answered, heldBack.byPace, now);
      }
    } else if (failed > 0) this.breaker.failed(failed, now);
    if (refusal !== null) this.refused(report, refusal, now);
    const inFlight = this.total((r) => r.inFlight);
    this.judge.correct({ inFlight, lastMinute: this.takenLastMinute }, now);
    const recovered = wasTrying && !this.trying;
    const isDown = this.breaker.downSince !== null;
    if (recovered || refusal !== null || isDown !== wasDown) this.nudgeOthers(hostId);
  }

  private refused({ hostId }: EndpointReport, refusal: Refusal, now: number): void {
    const found = {
      inFlight: refusal.inFlight + this.inFlightElsewhere(hostId, now - refusal.sentAgoMs),
      lastMinute: this.takenLastMinute,
    };
    if (!this.judge.refused(refusal, found, now)) return;
    for (const holder of Object.values(this.state.holders)) holder.vouches = false;
  }

  private answered(hostId: string, calls: number): void {
    const holders = Object.values(this.state.holders);
    const holder = this.state.holders[hostId] as Holder;
    holder.vouches = true;
    const { limit } = this.window;
    if (holders.reduce((sum, h) => sum + usedBy(h), 0) < limit) return;
    this.window.answered(
      calls,
      holders.every((h) => h.vouches || usedBy(h) === 0),
    );
    if (this.window.limit !== limit) for (const h of holders) h.vouches = false;
  }

  /** When a call was sent at `sentAt`: those that have ended since count. */
  private inFlightElsewhere(hostId: string, sentAt: number): number {
    return Object.values(this.state.holders).reduce((sum, holder) => {
      if (holder.report.hostId === hostId) return sum;
      const { earlier } = holder;
      const ended = earlier !== undefined && earlier.until > sentAt ? earlier.used : 0;
      return sum + Math.max(usedBy(holder), ended);
    }, 0);
  }

  private grant(holder: Holder, now: number): EndpointShare {
    const holders = Object.values(this.state.holders);
    const index = holders.indexOf(holder);
    const { limit } = this;
    const isDown = this.breaker.downSince !== null;
    // Who has no call to make could not try the endpoint.
    const least = this.trying ? 0 : 1;
    const wants = holders.map(({ report: r }) => Math.max(least, r.inFlight + r.waiting));
    const targets = wholeShares(limit, wants, Math.floor(now / TURN_MS));
    const target = targets[index] ?? 0;
    const held = holders.map((h) => Math.max(h.granted, h.report.inFlight));
    const elsewhere = held.reduce((sum, n, i) => (i === index ? sum : sum + n), 0);
    // Calls that hang for long must not keep the one that tries it from being made.
    const granted = isDown
      ? holder.report.inFlight + target
      : Math.max(0, Math.min(target, limit - elsewhere));
    if (granted !== holder.granted) holder.vouches = false;
    holder.granted = granted;
    const want = (i: number) => Math.min(targets[i] ?? 0, wants[i] ?? 0);
    const short = granted < want(index);
    const free = limit - elsewhere - Math.max(granted, holder.report.inFlight);
    for (const [i, other] of holders.entries()) {
      const mayGive = short && other.granted > (targets[i] ?? 0);
      const mayTake = free > 0 && other.granted < want(i);
      if (i !== index && (mayGive || mayTake)) this.nudges.add(other.report.hostId);
    }
    // While one at a time is tried, its answer frees the others.
    const growsAfter = this.trying ? 1 : this.window.growsAfter;
    const probeInMs = isDown ? this.state.breaker.nextProbeAt - now : 0;
    return {
      concurrency: holder.granted,
      requestsPerMinute: this.part(this.pace.perMinute, index, (r) => r.lastMinute.calls),
      tokensPerMinute: this.part(this.state.tokensPerMinute, index, (r) => r.lastMinute.tokens),
      waitMs: Math.max(0, this.state.judge.coolUntil - now, probeInMs),
      downForMs: this.breaker.downSince === null ? null : now - this.breaker.downSince,
      renewAfter: growsAfter === null ? null : Math.ceil((growsAfter * holder.granted) / limit),
      renewMs: short ? RENEW_SOON_MS : RENEW_MS,
      validMs: SHARE_VALID_MS,
    };
  }

  /** A process's part of what may be spent per minute: as much as it wants, if the others leave it. */
  private part(total: number | null, index: number, spent: (r: EndpointReport) => number): number | null {
    if (total === null) return null;
    const wants = this.reports.map((r) =>
      r.heldBack.byPace || r.waiting > 0 ? total : spent(r) + total / (10 * this.processes),
    );
    return maxMinShares(total, wants)[index] ?? 0;
  }
}

/** Calls in flight as far as is known: whose calls had to wait for others uses all of its share. */
function usedBy({ report, granted }: Holder): number {
  const { inFlight, heldBack } = report;
  return heldBack.byConcurrency ? Math.max(granted, inFlight) : inFlight;
}

function addCalls(a: CallTotals, b: CallTotals): CallTotals {
  return {
    answered: a.answered + b.answered,
    refused: a.refused + b.refused,
    failed: a.failed + b.failed,
  };
}
