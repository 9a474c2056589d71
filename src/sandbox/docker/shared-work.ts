import { LongrunError } from '../../core/errors.js';

interface Shared<T> {
  result: Promise<T>;
  stop: AbortController;
  waiting: number;
}

/** Does work once for everyone who asks for the same key at a time; stops it when the last of them gives up. */
export class SharedWork<T> {
  private readonly running = new Map<string, Shared<T>>();

  /** Rejects with `cancelled` as soon as the caller's own signal aborts. */
  async run(key: string, signal: AbortSignal, work: (shared: AbortSignal) => Promise<T>): Promise<T> {
    const shared = this.running.get(key) ?? this.begin(key, work);
    shared.waiting += 1;
    const giveUp = new LongrunError('cancelled', `Stopped waiting for ${key}.`);
    let abort = (): void => undefined;
    try {
      const aborted = new Promise<never>((_, reject) => {
        abort = () => reject(giveUp);
        if (signal.aborted) abort();
        signal.addEventListener('abort', abort);
      });
      return await Promise.race([shared.result, aborted]);
    } finally {
      signal.removeEventListener('abort', abort);
      shared.waiting -= 1;
      if (shared.waiting === 0) shared.stop.abort();
    }
  }

  private begin(key: string, work: (shared: AbortSignal) => Promise<T>): Shared<T> {
    const stop = new AbortController();
    const result = work(stop.signal).finally(() => this.running.delete(key));
    // The last to wait may have left: then nobody hears of the failure.
    result.catch(() => undefined);
    const shared = { result, stop, waiting: 0 };
    this.running.set(key, shared);
    return shared;
  }
}
