import type { CallOutcome, EndpointReport, EndpointShare } from '../../core/endpoint/messages.js';
import { type Pass, ShareSpender } from '../../core/endpoint/share-spender.js';
import { type Clock, HOUR_MS, SECOND_MS } from '../../core/time.js';
import type { CallSize, GatePass, ModelGate, StayAway } from './model-gate.js';

/** Calls wait here for so long; then their activity ends, and is tried again later. */
const MAX_WAIT_MS = 10 * SECOND_MS;
/** A wait that is known to be longer ends it at once. */
const SHORT_WAIT_MS = 3 * SECOND_MS;
const SHORTEST_AWAY_MS = 4 * SECOND_MS;
const LONGEST_AWAY_MS = 60 * SECOND_MS;
/** Those that wait for the same moment come back one after the other. */
const SPREAD_MS = 20;
/** While an endpoint is down placements look again after so long, and the later the longer it lasts. */
const LONGEST_HOLD_MS = 60 * SECOND_MS;
const LONGEST_TIMER_MS = 60 * SECOND_MS;

export interface GateParts {
  who: Pick<EndpointReport, 'hostId' | 'process'>;
  now: Clock;
  random?: () => number;
  /** Resolves when the share is known, or cannot be known for now. Called before each call. */
  ready(): Promise<void>;
  /** Something has happened that the keeper should hear of soon. */
  onNews(): void;
}

interface Waiter {
  who: string;
  since: number;
  size: { prompt: number; completion: number };
  settle(answer: GatePass | StayAway): void;
}

/** The gate of one endpoint in this process: first come, first served, within the process's share. */
export class EndpointGate implements ModelGate {
  private readonly spender: ShareSpender;
  private readonly queue: Waiter[] = [];
  /** When those that wait came first, also while they are away. */
  private readonly since = new Map<string, number>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly parts: GateParts) {
    this.spender = new ShareSpender(parts.who);
  }

  /** Whether no call is in flight or waits. */
  get idle(): boolean {
    return this.spender.inFlightNow === 0 && this.queue.length === 0;
  }

  async enter(who: string, size: CallSize, stopping: AbortSignal): Promise<GatePass | StayAway> {
    await this.parts.ready();
    if (stopping.aborted) return { retryInMs: 0 };
    const since = this.since.get(who) ?? this.parts.now();
    this.since.set(who, since);
    return await new Promise((resolve) => {
      const timer = setTimeout(() => this.sendAway(waiter, this.backSoonMs()), MAX_WAIT_MS);
      const stop = () => {
        this.since.delete(who);
        this.sendAway(waiter, 0);
      };
      const waiter: Waiter = {
        who,
        since,
        size: { prompt: size.promptTokens, completion: size.completionTokens },
        settle: (answer) => {
          clearTimeout(timer);
          stopping.removeEventListener('abort', stop);
          resolve(answer);
        },
      };
      stopping.addEventListener('abort', stop, { once: true });
      this.enqueue(waiter);
      this.pump();
      const awayMs = this.queue.includes(waiter) ? this.awayMs(waiter) : null;
      if (awayMs !== null) this.sendAway(waiter, awayMs);
    });
  }

  async holdsPlacements(): Promise<StayAway | null> {
    await this.parts.ready();
    const downSince = this.spender.downSince();
    if (downSince === null) return null;
    const grown = (this.parts.now() - downSince) / 4;
    const holdMs = Math.min(LONGEST_HOLD_MS, Math.max(SHORTEST_AWAY_MS, grown));
    return { retryInMs: holdMs * (1 + this.random() / 4) };
  }

  report(): EndpointReport {
    const now = this.parts.now();
    for (const [who, since] of this.since) if (now - since > HOUR_MS) this.since.delete(who);
    return this.spender.report(this.since.size, now);
  }

  take(share: EndpointShare, askedAt: number): void {
    this.spender.take(share, askedAt, this.parts.now());
    this.pump();
  }

  private enqueue(waiter: Waiter): void {
    const at = this.queue.findLastIndex(({ since }) => since <= waiter.since) + 1;
    this.queue.splice(at, 0, waiter);
  }

  /** Lets through whoever may go, and comes back when the next one may. */
  private pump(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    for (let head = this.queue[0]; head !== undefined; head = this.queue[0]) {
      const now = this.parts.now();
      const answer = this.spender.enter(head.size, now);
      if (!('by' in answer)) {
        this.queue.shift();
        this.since.delete(head.who);
        head.settle(this.passOf(answer));
        continue;
      }
      const { waitMs } = answer;
      if (waitMs === null) return;
      if (answer.by === 'cooldown' && waitMs > SHORT_WAIT_MS) {
        for (const waiter of [...this.queue]) this.sendAway(waiter, this.spread(waitMs));
        return;
      }
      this.timer = setTimeout(() => this.pump(), Math.min(waitMs, LONGEST_TIMER_MS));
      return;
    }
  }

  private passOf(pass: Pass): GatePass {
    let ended = false;
    const end = (outcome: CallOutcome | 'unsent', completionTokens = 0) => {
      if (ended) return;
      ended = true;
      if (outcome === 'unsent') this.spender.unused(pass);
      else if (this.spender.leave(pass, outcome, completionTokens, this.parts.now())) this.parts.onNews();
      this.pump();
    };
    return { end };
  }

  /** For one far back in the queue: until about its turn. Null = it waits here. */
  private awayMs(waiter: Waiter): number | null {
    const now = this.parts.now();
    const ahead = this.queue.indexOf(waiter);
    const perMinute = this.spender.callsLastMinute(now);
    if (ahead < 2 * this.spender.concurrency(now) + 2 || perMinute === 0) return null;
    const expectedMs = (ahead / perMinute) * 60 * SECOND_MS;
    if (expectedMs <= MAX_WAIT_MS) return null;
    const awayMs = expectedMs * (0.5 + this.random() / 2);
    return Math.min(LONGEST_AWAY_MS, Math.max(SHORTEST_AWAY_MS, awayMs));
  }

  private sendAway(waiter: Waiter, retryInMs: number): void {
    const at = this.queue.indexOf(waiter);
    if (at < 0) return;
    this.queue.splice(at, 1);
    waiter.settle({ retryInMs: Math.ceil(retryInMs) });
  }

  private backSoonMs(): number {
    return SHORTEST_AWAY_MS * (1 + this.random() / 2);
  }

  private spread(waitMs: number): number {
    return waitMs + this.random() * Math.min(30 * SECOND_MS, SPREAD_MS * this.since.size);
  }

  private random(): number {
    return (this.parts.random ?? Math.random)();
  }
}
