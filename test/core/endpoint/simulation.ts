import { EndpointBoard, freshBoard } from '../../../src/core/endpoint/endpoint-board.js';
import type { CallOutcome, ToldLimits } from '../../../src/core/endpoint/messages.js';
import { type Pass, ShareSpender } from '../../../src/core/endpoint/share-spender.js';
import { Random } from '../../chaos/stress/random.js';

export const REQUEST_MS = 50;
/** As the real one: calls begin without a share when there is none after so long. */
const PATIENCE_MS = 3_000;

/** What an endpoint says to a request that arrives at `now` with so many others under way. */
export type Limits = (
  now: number,
  inFlight: number,
) => { refuses: boolean; fails?: boolean; retryAfterMs?: number; told?: ToldLimits };

export interface World {
  hosts: number;
  /** Rollouts per host; each makes its calls one after the other. */
  rollouts: number;
  latencyMs: number;
  limits: Limits;
  forMs: number;
  busy?: BusyStart;
}

/** A start on a busy machine: processes and their rollouts come one by one, and the keeper is slow to answer. */
export interface BusyStart {
  seed: number;
  forMs: number;
  /** What a request to the keeper takes at most, there and back. */
  keeperMs: number;
}

export interface Seen {
  at: number;
  host: number;
  refused: boolean;
}

/** Processes, their keeper and an endpoint in simulated time: every request that the endpoint saw. */
export function simulate(world: World): {
  seen: Seen[];
  board: EndpointBoard;
  peak: number;
  renewals: number;
} {
  const sim = new Simulation(world);
  return sim.run();
}

interface Host {
  spender: ShareSpender;
  idle: number;
  ready: boolean;
  renewing: boolean;
  again: boolean;
  soon: boolean;
  renewAt: number;
  askedAt: number;
  wakeAt: number;
}

class Simulation {
  private now = 1_000_000;
  /** The next one first. */
  private readonly events: { at: number; run: () => void }[] = [];
  private readonly board = new EndpointBoard(freshBoard(this.now));
  private readonly hosts: Host[];
  private readonly seen: Seen[] = [];
  private inFlight = 0;
  private peak = 0;
  private renewals = 0;
  private readonly random: Random | null;
  private readonly begun = this.now;

  constructor(private readonly world: World) {
    this.random = world.busy ? new Random(world.busy.seed) : null;
    this.hosts = Array.from({ length: world.hosts }, (_, i) => ({
      spender: new ShareSpender({ hostId: `host-${i}`, process: 'one' }),
      idle: world.busy ? 0 : world.rollouts,
      ready: !world.busy,
      renewing: false,
      again: false,
      soon: false,
      renewAt: Number.POSITIVE_INFINITY,
      askedAt: 0,
      wakeAt: Number.POSITIVE_INFINITY,
    }));
  }

  run() {
    const { begun } = this;
    for (const [i, host] of this.hosts.entries()) this.start(host, i);
    for (;;) {
      const next = this.events.shift();
      if (!next || next.at > begun + this.world.forMs) break;
      this.now = next.at;
      next.run();
    }
    return {
      seen: this.seen.map((s) => ({ ...s, at: s.at - begun })),
      board: this.board,
      peak: this.peak,
      renewals: this.renewals,
    };
  }

  private at(inMs: number, run: () => void): void {
    const at = this.now + inMs;
    const behind = this.events.findLastIndex((event) => event.at <= at) + 1;
    this.events.splice(behind, 0, { at, run });
  }

  private start(host: Host, i: number): void {
    const { busy, rollouts } = this.world;
    if (!busy || !this.random) {
      this.at(i * 20, () => this.renew(host));
      return;
    }
    const comes = Array.from({ length: rollouts }, () => this.random?.between(0, busy.forMs) ?? 0);
    const first = Math.min(...comes);
    for (const inMs of comes)
      this.at(inMs, () => {
        host.idle += 1;
        if (inMs === first) this.renew(host);
        // Its first share is waited for.
        else if (host.ready) this.pump(host);
      });
    this.at(first + PATIENCE_MS, () => {
      host.ready = true;
      this.pump(host);
    });
  }

  /** One way to the keeper or back. */
  private get requestMs(): number {
    const { busy } = this.world;
    if (!busy || !this.random || this.now > this.begun + busy.forMs) return REQUEST_MS / 2;
    return this.random.between(REQUEST_MS / 2, busy.keeperMs / 2);
  }

  private renew(host: Host): void {
    if (host.renewing) {
      host.again = true;
      return;
    }
    host.renewing = true;
    this.renewals += 1;
    host.askedAt = this.now;
    const askedAt = this.now;
    const report = host.spender.report(host.idle, this.now);
    this.at(this.requestMs, () => {
      const share = this.board.renew(report, this.now);
      for (const hostId of this.board.takeNudges()) {
        const other = this.hosts[Number(hostId.slice(5))] as Host;
        this.at(2 * this.requestMs, () => this.renew(other));
      }
      this.at(this.requestMs, () => {
        host.renewing = false;
        host.ready = true;
        host.spender.take(share, askedAt, this.now);
        const renewAt = this.now + share.renewMs;
        host.renewAt = renewAt;
        this.at(share.renewMs, () => {
          if (host.renewAt === renewAt) this.renew(host);
        });
        this.pump(host);
        if (host.again) {
          host.again = false;
          this.renewSoon(host);
        }
      });
    });
  }

  /** As the real one does: at most four times a second. */
  private renewSoon(host: Host): void {
    const inMs = host.askedAt + 250 - this.now;
    if (host.soon) return;
    host.soon = true;
    this.at(Math.max(0, inMs), () => {
      host.soon = false;
      this.renew(host);
    });
  }

  private pump(host: Host): void {
    while (host.idle > 0) {
      const pass = host.spender.enter({ prompt: 100, completion: 100 }, this.now);
      if ('by' in pass) {
        if (pass.waitMs !== null && this.now + pass.waitMs < host.wakeAt) {
          host.wakeAt = this.now + pass.waitMs;
          const { wakeAt } = host;
          this.at(pass.waitMs, () => {
            if (host.wakeAt === wakeAt) host.wakeAt = Number.POSITIVE_INFINITY;
            this.pump(host);
          });
        }
        return;
      }
      host.idle -= 1;
      this.at(10, () => this.arrive(host, pass));
    }
  }

  private arrive(host: Host, pass: Pass): void {
    const { refuses, fails = false, retryAfterMs, told } = this.world.limits(this.now, this.inFlight);
    this.seen.push({ at: this.now, host: this.hosts.indexOf(host), refused: refuses });
    const said = told ?? null;
    if (fails) {
      this.at(10, () => this.end(host, pass, { kind: 'failed' }));
      return;
    }
    if (refuses) {
      this.at(10, () =>
        this.end(host, pass, { kind: 'refused', retryAfterMs: retryAfterMs ?? null, told: said }),
      );
      return;
    }
    this.inFlight += 1;
    this.peak = Math.max(this.peak, this.inFlight);
    const jitter = 0.8 + 0.4 * (this.random?.next() ?? ((this.seen.length * 7919) % 100) / 100);
    this.at(this.world.latencyMs * jitter, () => {
      this.inFlight -= 1;
      this.end(host, pass, { kind: 'answered', tokens: 200, told: said });
    });
  }

  private end(host: Host, pass: Pass, outcome: CallOutcome): void {
    const important = host.spender.leave(pass, outcome, 100, this.now);
    // Between two calls a rollout runs a command.
    this.at(outcome.kind === 'answered' ? 50 : 1_000, () => {
      host.idle += 1;
      this.pump(host);
    });
    if (important) this.renewSoon(host);
    this.pump(host);
  }
}

const atMost = (concurrency: number) => (inFlight: number) => inFlight >= concurrency;

/** So many in any minute. */
export function slidingWindow(concurrency: number, perMinute: number, retryAfter = false): Limits {
  const taken: number[] = [];
  return (now, inFlight) => {
    while (taken[0] !== undefined && taken[0] <= now - 60_000) taken.shift();
    if (atMost(concurrency)(inFlight)) return { refuses: true };
    if (taken.length >= perMinute) {
      const first = taken[0] ?? now;
      return retryAfter ? { refuses: true, retryAfterMs: first + 60_000 - now } : { refuses: true };
    }
    taken.push(now);
    return { refuses: false };
  };
}

/** A bucket that is filled evenly. */
export function tokenBucket(concurrency: number, perMinute: number, capacity: number, tells = false): Limits {
  let level = capacity;
  let at = 0;
  return (now, inFlight) => {
    level = Math.min(capacity, level + ((now - at) / 60_000) * perMinute);
    at = now;
    const refuses = atMost(concurrency)(inFlight) || level < 1;
    if (!refuses) level -= 1;
    if (!tells) return { refuses };
    const remainingRequests = Math.floor(level);
    return {
      refuses,
      told: { requestsPerMinute: perMinute, tokensPerMinute: null, remainingRequests, remainingTokens: null },
    };
  };
}

/** So many per minute of the clock. */
export function fixedWindow(concurrency: number, perMinute: number): Limits {
  let minute = 0;
  let taken = 0;
  return (now, inFlight) => {
    if (Math.floor(now / 60_000) !== minute) {
      minute = Math.floor(now / 60_000);
      taken = 0;
    }
    if (atMost(concurrency)(inFlight) || taken >= perMinute) return { refuses: true };
    taken += 1;
    return { refuses: false };
  };
}

export const unlimited: Limits = () => ({ refuses: false });
