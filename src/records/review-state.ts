import type { QueueState } from '../core/rollout/outcome.js';
import type { RolloutResult } from '../store/records/records.schema.js';
import type { Resolution } from '../store/records/replay.schema.js';

export interface Standing {
  state: QueueState;
  /** The decision that put it there; null where none did. */
  resolution: Resolution | null;
}

/**
 * The queue that a result is in, after people had their say: a review ends as a success (accepted: its
 * score stands) or for good (rejected, terminal). A decision speaks of one attempt; one on an attempt
 * that no longer counts is history. The reward stays in the record whatever they say.
 */
export function standingOf(result: RolloutResult, resolutions: readonly Resolution[]): Standing {
  const { queueState, attempt } = result;
  if (queueState !== 'needs_human_review') return { state: queueState, resolution: null };
  const newest = resolutions.findLast((resolution) => resolution.attempt === attempt) ?? null;
  if (newest === null) return { state: queueState, resolution: null };
  return { state: newest.as === 'accepted' ? 'success' : 'terminal_failure', resolution: newest };
}
