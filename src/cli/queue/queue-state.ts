import { badInput } from '../../core/errors.js';
import { closest } from '../../core/text/closest.js';
import { QUEUE_STATES, type QueueRow } from '../../queue/read-queue.js';

/** The value of `--state`. Throws `bad_input`. */
export function queueStateFlag(found: string | undefined): QueueRow['state'] | null {
  if (found === undefined) return null;
  const state = QUEUE_STATES.find((known) => known === found);
  if (state !== undefined) return state;
  const meant = closest(found, QUEUE_STATES);
  throw badInput(
    `--state: found "${found}", accepted: ${QUEUE_STATES.join(', ')}.`,
    meant ? `Did you mean ${meant}?` : undefined,
  );
}
