import { LongrunError } from '../core/errors.js';
import { SECOND_MS } from '../core/time.js';
import type { HostWorker } from '../worker/index.js';

const TAKE_OVER_MS = SECOND_MS;

export type KeptWorker = Pick<HostWorker, 'shutdown' | 'done'>;

/**
 * Keeps a host worker in the state folder: is it, where nobody else is; else waits as a client and
 * takes over when the other one has gone.
 */
export class HostKeeper {
  private worker: KeptWorker | null = null;
  private timer: NodeJS.Timeout | null = null;
  private attempt: Promise<void> = Promise.resolve();
  private ended = false;
  /** Of the newest failure: a server that stays away is told of once, not every second. */
  private trouble: string | null = null;

  constructor(
    private readonly start: () => Promise<KeptWorker>,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  get hosting(): boolean {
    return this.worker !== null;
  }

  /** Becomes the host, or starts to wait for it. Throws what `startHostWorker` throws, but for `host_locked`. */
  async begin(): Promise<void> {
    await this.tryToHost();
    if (this.hosting) return;
    this.timer = setInterval(() => {
      this.attempt = this.attempt.then(() => this.tryToHost()).catch((error: unknown) => this.tell(error));
    }, TAKE_OVER_MS);
  }

  /** Stops taking work, lets calls in the air end and be recorded, gives the lock back. */
  async end(): Promise<void> {
    this.ended = true;
    this.stopWaiting();
    await this.attempt;
    await this.worker?.shutdown();
    this.worker = null;
  }

  private async tryToHost(): Promise<void> {
    if (this.ended || this.worker) return;
    try {
      this.worker = await this.start();
      this.trouble = null;
      this.stopWaiting();
      this.worker.done.catch((error: unknown) => {
        this.worker = null;
        if (!this.ended) this.tell(error);
      });
    } catch (error) {
      if (!LongrunError.is(error, 'host_locked')) throw error;
    }
  }

  private tell(error: unknown): void {
    const trouble = String(error);
    if (trouble !== this.trouble) this.onFailure(error);
    this.trouble = trouble;
  }

  private stopWaiting(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }
}
