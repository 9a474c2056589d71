import { MINUTE_MS, SECOND_MS } from '../../core/time.js';

/** Each signal is a few events in the history of the run, so they are few: soon where the run may be waiting for it. */
const SOON_MS = SECOND_MS;
const CALM_MS = 15 * SECOND_MS;
/** A run that was carried on elsewhere may have lost what it was told. */
const AGAIN_MS = 10 * MINUTE_MS;
const FIRST_RETRY_MS = SECOND_MS;
const LONGEST_RETRY_MS = 30 * SECOND_MS;

export interface AllowanceParts {
  send(limit: number): Promise<void>;
  /** Whether a run that was told this limit may have come close to it. */
  close(limit: number): boolean;
  onTrouble(error: unknown): void;
  signal: AbortSignal;
}

/** Tells the run how many groups a sink allows: the newest word, not each of them, and again while it is not heard. */
export class Allowance {
  private wanted: number | null = null;
  private said: number | null = null;
  private wake: () => void = () => undefined;
  private pump: Promise<void> | null = null;

  constructor(private readonly parts: AllowanceParts) {}

  /** Returns at once. */
  allow(limit: number): void {
    this.wanted = limit;
    this.wake();
    this.pump ??= this.keepSaying();
  }

  /** Resolves once nothing is sent any more; after the signal has fired. */
  async stopped(): Promise<void> {
    await this.pump;
  }

  private async keepSaying(): Promise<void> {
    const { signal } = this.parts;
    try {
      while (!signal.aborted) {
        const limit = this.wanted as number;
        await this.say(limit);
        await this.rest(limit);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Until the run has heard it, or the sink says something else. */
  private async say(limit: number): Promise<void> {
    const { send, onTrouble, signal } = this.parts;
    for (let tries = 0; this.wanted === limit && !signal.aborted; tries++) {
      try {
        await send(limit);
        this.said = limit;
        return;
      } catch (error) {
        onTrouble(error);
        await this.sleep(Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(tries, 10)));
      }
    }
  }

  /** Until there is something to say again. */
  private async rest(limit: number): Promise<void> {
    const at = Date.now();
    for (;;) {
      const changed = this.wanted !== this.said;
      // Less than was said is always pressing: too many would be started.
      const pressing = this.parts.close(limit) || (this.wanted as number) < limit;
      const forMs = (changed ? (pressing ? SOON_MS : CALM_MS) : AGAIN_MS) - (Date.now() - at);
      if (forMs <= 0) return;
      // What is close to its limit may change meanwhile.
      await this.sleep(changed ? Math.min(forMs, SOON_MS) : forMs);
    }
  }

  /** For so long, or until the sink says something. Throws when it is over. */
  private async sleep(ms: number): Promise<void> {
    const { signal } = this.parts;
    signal.throwIfAborted();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.wake(), ms);
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.wake = wake;
      signal.addEventListener('abort', wake, { once: true });
    });
    this.wake = () => undefined;
    signal.throwIfAborted();
  }
}
