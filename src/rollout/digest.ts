import type { RolloutDigest } from '../core/run/workflow-messages.js';
import type { RolloutResult } from '../store/records/records.schema.js';

/** What a workflow is told of a result. */
export function digestOf(result: RolloutResult): RolloutDigest {
  const { sample, attempt, reward, stopReason } = result;
  return { sample, attempt, reward, stopReason };
}
