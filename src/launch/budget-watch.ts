import type { RunConfig } from '../core/run-config.schema.js';
import { SECOND_MS } from '../core/time.js';
import type { RunView } from './run-view.js';

/** Longer than a turn takes as a rule: rollouts in flight still end after a pause. */
const STILL_MS = 30 * SECOND_MS;

/**
 * Notices a run that its own budget has paused: it would wait for a person for good, and whoever
 * started it may be a script.
 */
export class BudgetWatch {
  private still: { since: number; turns: number; done: number } | null = null;

  constructor(private readonly config: Pick<RunConfig, 'budgetTokens' | 'budgetUsd'>) {}

  /** Whether a run with a budget has been paused for a while without a turn or a result. */
  stalls(view: Pick<RunView, 'status' | 'turns' | 'done'>, now: number): boolean {
    const { budgetTokens, budgetUsd } = this.config;
    if (view.status !== 'paused' || (budgetTokens === null && budgetUsd === null)) {
      this.still = null;
      return false;
    }
    const { turns, done } = view;
    if (this.still?.turns !== turns || this.still.done !== done) this.still = { since: now, turns, done };
    return now - this.still.since >= STILL_MS;
  }
}
