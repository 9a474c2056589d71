import { patched } from '@temporalio/workflow';

/** Sends messages one at a time: two on their way may arrive in either order. Histories from before that replay as they were. */
export class InOrder {
  private decided: boolean | null = null;
  private last: Promise<void> = Promise.resolve();

  /** False in histories from before. */
  get applies(): boolean {
    this.decided ??= patched('messages-in-order');
    return this.decided;
  }

  /** Resolves, or rejects, as `send` does; what comes after it goes on all the same. */
  run(send: () => Promise<void>): Promise<void> {
    if (!this.applies) return send();
    const sent = this.last.then(send);
    this.last = sent.catch(() => undefined);
    return sent;
  }
}
