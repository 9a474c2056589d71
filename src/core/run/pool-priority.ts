import type { PoolStanding } from './workflow-messages.js';

/** Temporal's limit is 64 bytes; retries have a suffix. */
const KEY_MAX = 56;
const HASH_DIGITS = 8;
const RETRIES = '/retry';
/** The largest weight that Temporal knows: such a task goes before all that wait with weights of ours. */
const RETRY_WEIGHT = 1_000;

export const DEFAULT_STANDING: PoolStanding = { priority: 3, weight: 1 };

/** How a task of ours is ordered among those that wait for the same queue. */
export interface QueuePriority {
  priorityKey: number;
  fairnessKey: string;
  fairnessWeight: number;
}

/** A run beside others: its priority first, then in proportion to its weight. */
export function runPriority(runId: string, { priority, weight }: PoolStanding): QueuePriority {
  return { priorityKey: priority, fairnessKey: fairnessKey(runId), fairnessWeight: weight };
}

/**
 * A placement beside others. Temporal has five priorities and a run may have any of them, so a retry, or a
 * member of a group that is under way, goes before the new placements of its priority by a weight of its own.
 */
export function placementPriority(runId: string, standing: PoolStanding, isUrgent: boolean): QueuePriority {
  const own = runPriority(runId, standing);
  return isUrgent ? { ...own, fairnessKey: own.fairnessKey + RETRIES, fairnessWeight: RETRY_WEIGHT } : own;
}

function fairnessKey(runId: string): string {
  if (runId.length <= KEY_MAX) return runId;
  return `${runId.slice(0, KEY_MAX - HASH_DIGITS - 1)}~${hashOf(runId)}`;
}

/** FNV-1a, so that two long ids with the same beginning stay apart. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(HASH_DIGITS, '0');
}
