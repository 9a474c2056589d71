import { LongrunError } from '../../core/errors.js';
import { LONGEST_TIMER_MS } from '../../core/time.js';

/** Waits for `work`, at most `limitMs`. Rejects with `cancelled` when the signal aborts first. */
export function firstOf(
  work: Promise<void>,
  limitMs: number,
  signal: AbortSignal,
): Promise<'done' | 'expired'> {
  return new Promise((resolve, reject) => {
    const cancel = () =>
      settle(() => reject(new LongrunError('cancelled', 'Stopped waiting for a command.')));
    const timer = setTimeout(
      () => settle(() => resolve('expired')),
      Math.min(LONGEST_TIMER_MS, Math.max(0, limitMs)),
    );
    const settle = (how: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      how();
    };
    if (signal.aborted) return cancel();
    signal.addEventListener('abort', cancel);
    work.then(() => settle(() => resolve('done')), reject);
  });
}
