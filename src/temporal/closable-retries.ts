import { setTimeout as sleep } from 'node:timers/promises';
import { defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';

/** For a call that a timer has made anew to fail, where nobody answers. */
const LAST_TRY_MS = 100;

/**
 * Calls are tried again as the SDK does, and that can be ended: a retry whose timer fires after its connection was
 * closed throws where nobody can catch it, and takes the process along.
 */
export class ClosableRetries {
  private ended = false;
  private nextAt = 0;
  private readonly usual = defaultGrpcRetryOptions();

  readonly interceptor: ReturnType<typeof makeGrpcRetryInterceptor> = makeGrpcRetryInterceptor({
    retryableDecider: (attempt, status) => !this.ended && this.usual.retryableDecider(attempt, status),
    delayFunction: (attempt, status) => {
      const delayMs = this.usual.delayFunction(attempt, status);
      this.nextAt = Math.max(this.nextAt, Date.now() + delayMs);
      return delayMs;
    },
  });

  /** Resolves when no timer is left: at once while the server answers, else within about six seconds. */
  async end(): Promise<void> {
    this.ended = true;
    const leftMs = this.nextAt - Date.now();
    if (leftMs > 0) await sleep(leftMs + LAST_TRY_MS);
  }
}
