import type { AttemptRecord, RolloutResult } from '../store/records/records.schema.js';

/** What the work on rollouts tells whoever watches it. */
export interface RolloutObserver {
  attemptEnded(attempt: AttemptRecord): void;
  rolloutEnded(result: RolloutResult): void;
}
