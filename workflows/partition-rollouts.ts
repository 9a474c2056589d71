import { type RolloutKey, rolloutWorkflowId } from '../src/core/ids.js';
import type { PartitionOpening } from '../src/core/run/workflow-messages.js';
import type { PartitionWork, Unit } from './partition-work.js';
import { runRollout } from './run-rollout.js';

/** The rollouts of a partition, each by itself. */
export function rolloutUnits(work: PartitionWork, open: PartitionOpening['open']): Unit[] {
  const { runId } = work.input;
  const keys = open.flatMap(({ taskId, samples }) => samples.map((sample) => ({ runId, taskId, sample })));
  return keys.map((key) => ({
    fits: () => work.board.mayStart,
    isDropped: () => false,
    run: () => runOne(work, key),
  }));
}

function runOne(work: PartitionWork, key: RolloutKey): Promise<void> {
  const { policy } = work;
  const { incarnation } = work.input;
  return runRollout(work, rolloutWorkflowId(key), { ...key, incarnation, policy });
}
