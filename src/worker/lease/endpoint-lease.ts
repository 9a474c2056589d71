import type { EndpointReport, EndpointShare } from '../../core/endpoint/messages.js';
import { type Clock, MINUTE_MS, SECOND_MS } from '../../core/time.js';
import { EndpointGate } from '../../model/limits/endpoint-gate.js';
import type { ModelGate } from '../../model/limits/model-gate.js';

/** Calls begin without a share when there is none after so long. */
const PATIENCE_MS = 3 * SECOND_MS;
/** However much happens, the keeper is asked no more often. */
const LEAST_GAP_MS = SECOND_MS / 4;
const RETRY_MS = 2 * SECOND_MS;
/** A share that nobody needs is given back. */
const IDLE_MS = MINUTE_MS;

export interface LeaseParts {
  who: Pick<EndpointReport, 'hostId' | 'process'>;
  keeper: {
    /** Ends at once when `signal` fires: the connection may be closed after that. */
    renew(report: EndpointReport, signal: AbortSignal): Promise<EndpointShare>;
    leave(who: Pick<EndpointReport, 'hostId' | 'process'>): Promise<void>;
  };
  now: Clock;
  onTrouble(error: unknown): void;
}

/**
 * Keeps this process's share of one endpoint fresh while calls are made: every 10 s, and sooner when
 * something happens. With its keeper out of reach calls go on with the last share for a while.
 */
export class EndpointLease {
  readonly gate: ModelGate;
  private readonly ownGate: EndpointGate;
  private first: Promise<void> | null = null;
  private renewing: Promise<void> | null = null;
  private wanted = false;
  private askedAt = 0;
  private usedAt = 0;
  private timer: NodeJS.Timeout | null = null;
  private closed = false;
  /** Of the request under way: a signal for all of them would gather listeners for as long as the process lives. */
  private asking: AbortController | null = null;

  constructor(private readonly parts: LeaseParts) {
    this.ownGate = new EndpointGate({
      who: parts.who,
      now: parts.now,
      ready: () => this.ready(),
      onNews: () => this.soon(),
    });
    this.gate = this.ownGate;
  }

  /** Asks again as soon as may be. */
  soon(): void {
    if (this.first === null || this.closed) return;
    if (this.renewing !== null) this.wanted = true;
    else this.schedule(this.askedAt + LEAST_GAP_MS - this.parts.now());
  }

  /** Gives the share back, for another process to use at once. */
  async close(): Promise<void> {
    const used = this.first !== null;
    this.closed = true;
    this.asking?.abort(new Error('the lease was closed'));
    await this.renewing;
    if (used) await this.leave();
  }

  private ready(): Promise<void> {
    this.usedAt = this.parts.now();
    this.first ??= this.begin();
    return this.first;
  }

  private begin(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS);
    });
    return Promise.race([this.renew(), late]).finally(() => clearTimeout(timer));
  }

  private schedule(inMs: number): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(
      () => {
        this.timer = null;
        void this.renew();
      },
      Math.max(0, inMs),
    );
    this.timer.unref();
  }

  /** One request at a time; never fails. */
  private renew(): Promise<void> {
    this.renewing ??= this.renewOnce().finally(() => {
      this.renewing = null;
      // Used again while it was being given back.
      const anew = this.first !== null && this.timer === null;
      if (this.wanted || anew) this.soon();
      this.wanted = false;
    });
    return this.renewing;
  }

  private async renewOnce(): Promise<void> {
    const { now, onTrouble } = this.parts;
    if (this.closed) return;
    if (this.ownGate.idle && now() - this.usedAt > IDLE_MS) return this.leave();
    this.askedAt = now();
    try {
      const share = await this.ask();
      this.ownGate.take(share, this.askedAt);
      this.schedule(share.renewMs);
    } catch (error) {
      if (this.closed) return;
      onTrouble(error);
      this.schedule(RETRY_MS);
    }
  }

  /** Rejects when the lease is closed meanwhile, whatever the keeper does. */
  private async ask(): Promise<EndpointShare> {
    const asking = new AbortController();
    this.asking = asking;
    const closed = new Promise<never>((_, reject) => {
      asking.signal.addEventListener('abort', () => reject(asking.signal.reason), { once: true });
    });
    return await Promise.race([this.parts.keeper.renew(this.ownGate.report(), asking.signal), closed]);
  }

  private async leave(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.first = null;
    await this.parts.keeper.leave(this.parts.who).catch(this.parts.onTrouble);
  }
}
