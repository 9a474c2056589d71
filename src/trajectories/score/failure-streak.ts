import type { ScoreOutcome } from './scorer.js';

/** Each has been tried several times by then: the endpoint is down, and waiting for every row would take days. */
const ROUNDS = 3;

/** Gives up on an endpoint that fails again and again without a single score in between. */
export class FailureStreak {
  private failures = 0;

  constructor(private readonly concurrency: number) {}

  /** Throws the error of the failure that is one too many. */
  note(outcome: ScoreOutcome): void {
    if ('error' in outcome && outcome.error.retryable) this.failures += 1;
    else this.failures = 0;
    if ('error' in outcome && this.failures >= ROUNDS * this.concurrency) throw outcome.error;
  }
}
