import type { PauseReason } from '../../core/run/pause-reason.js';
import { SECOND_MS } from '../../core/time.js';
import type { RunView } from './run-view.js';

/** Longer than a turn takes as a rule: rollouts in flight still end after a pause. */
const STILL_MS = 30 * SECOND_MS;
/** Enough where nothing is in flight. */
const DRAINED_MS = 5 * SECOND_MS;

/**
 * Notices a run that its own budget has paused: it would wait for a person for good, and whoever
 * started it may be a script.
 */
export class BudgetWatch {
  private still: { since: number; turns: number; done: number } | null = null;

  /** Whether a run that a budget has paused was without a turn or a result for a while. */
  stalls(
    view: Pick<RunView, 'status' | 'turns' | 'done' | 'counts'>,
    reason: PauseReason | null,
    now: number,
  ): boolean {
    if (view.status !== 'paused' || reason === null || reason === 'person') {
      this.still = null;
      return false;
    }
    const { turns, done } = view;
    if (this.still?.turns !== turns || this.still.done !== done) this.still = { since: now, turns, done };
    const { agent, verifying } = view.counts;
    return now - this.still.since >= (agent + verifying === 0 ? DRAINED_MS : STILL_MS);
  }
}
