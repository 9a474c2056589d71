import { LongrunError } from '../../core/errors.js';
import { catchInterrupts } from '../../launch/interrupts.js';
import { EXIT } from '../cli-io.js';

/**
 * Does work that calls `check` between rows. Ctrl-C ends it there, so that what it began to write is cleared away.
 * Errors: `cancelled`.
 */
export async function untilInterrupted<T>(work: (check: () => void) => Promise<T>): Promise<T> {
  const interrupts = catchInterrupts(() => process.exit(EXIT.interrupted));
  try {
    return await work(() => interrupts.signal.throwIfAborted());
  } catch (error) {
    if (!interrupts.signal.aborted) throw error;
    throw new LongrunError('cancelled', 'interrupted: nothing was written', { exitCode: EXIT.interrupted });
  } finally {
    interrupts.release();
  }
}
