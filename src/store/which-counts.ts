import { addUsage } from '../core/rollout/usage.js';
import type { RolloutResult } from './records/records.schema.js';

/**
 * The result of a rollout that counts, of the one that sealed it and those of its replays: a scored
 * outcome is never replaced; an infrastructure failure or a cancellation gives way to the first
 * replay that ended scored, so that nobody replays until the score pleases. First is by the number of
 * the attempt, given before anything is known of its outcome. What all attempts cost is added to the
 * one that takes the place.
 */
export function whichCounts(sealed: RolloutResult, replays: readonly RolloutResult[]): RolloutResult {
  if (sealed.reward !== null) return sealed;
  const scored = replays.filter((result) => result.reward !== null);
  const first = scored.toSorted((a, b) => a.attempt - b.attempt)[0];
  if (first === undefined) return sealed;
  const all = [sealed, ...replays];
  return {
    ...first,
    attempts: all.reduce((sum, result) => sum + result.attempts, 0),
    usage: all.map((result) => result.usage).reduce(addUsage),
    costUsd: all.reduce<number | null>((sum, result) => addCost(sum, result.costUsd), null),
  };
}

function addCost(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0);
}
