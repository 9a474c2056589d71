import type { EnvStatus } from './api.schema.js';
import type { Registration } from './ledger.schema.js';

/** Whose groups are meant, and how many batches may be ahead of the trainer. */
export interface Share {
  groupSize: number;
  maxBatchesOffpolicy: number;
}

/**
 * Groups that may be in the making, as Atropos' own environments count them: `max_batches_offpolicy` batches, of which
 * other environments may have a minimum share, less what is queued. `unsent`: groups of ours that wait for being sent.
 */
export function allowedGroups(
  { unallocated_fraction, queue_size }: EnvStatus,
  { batchSize }: Pick<Registration, 'batchSize'>,
  { groupSize, maxBatchesOffpolicy }: Share,
  unsent: number,
): number {
  const derivedBatch = Math.trunc(batchSize * unallocated_fraction);
  const ahead = Math.floor((maxBatchesOffpolicy * derivedBatch) / groupSize);
  return Math.max(0, ahead - queue_size - unsent);
}

/** With what is queued the trainer goes past its last step. */
export function trainerHasEnough(
  { current_step, queue_size }: EnvStatus,
  { batchSize, numSteps }: Pick<Registration, 'batchSize' | 'numSteps'>,
  groupSize: number,
): boolean {
  return numSteps !== null && current_step + Math.floor((queue_size * groupSize) / batchSize) > numSteps;
}

/** What keeps groups of this size from ever filling a batch; null when they do. */
export function sizeProblem(groupSize: number, batchSize: number): string | null {
  if (groupSize <= batchSize && batchSize % groupSize === 0) return null;
  const sizes = Array.from({ length: batchSize }, (_, i) => i + 1).filter((size) => batchSize % size === 0);
  return `groups of ${groupSize} never fill the trainer's batches of ${batchSize} sequences; accepted are groups of ${sizes.join(', ')}`;
}
