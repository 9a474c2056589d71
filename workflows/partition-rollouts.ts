import { startChild } from '@temporalio/workflow';
import { type RolloutKey, rolloutWorkflowId } from '../src/core/ids.js';
import type { PartitionOpening } from '../src/core/workflow-messages.js';
import { childOptions } from './child-options.js';
import { pauseSignal } from './messages.js';
import type { PartitionWork, Unit } from './partition-work.js';
import { rollout } from './rollout.js';
import { rolloutAttributes } from './search-attributes.js';

/** The rollouts of a partition, each by itself. */
export function rolloutUnits(work: PartitionWork, open: PartitionOpening['open']): Unit[] {
  const { runId } = work.input;
  const keys = open.flatMap(({ taskId, samples }) => samples.map((sample) => ({ runId, taskId, sample })));
  return keys.map((key) => ({
    fits: () => work.board.mayStart,
    isDropped: () => false,
    run: () => runRollout(work, key),
  }));
}

async function runRollout(work: PartitionWork, key: RolloutKey): Promise<void> {
  const { board, running, policy } = work;
  const { incarnation } = work.input;
  const workflowId = rolloutWorkflowId(key);
  board.started();
  try {
    const child = await startChild(rollout, {
      ...childOptions(incarnation),
      workflowId,
      args: [{ ...key, incarnation, policy }],
      typedSearchAttributes: rolloutAttributes(key),
    });
    running.add(workflowId);
    if (board.paused) await work.toChildren.run(() => child.signal(pauseSignal));
    await child.result();
  } catch {
    // Cancelled, terminated or already there: the store says what became of it, not this history.
  } finally {
    running.delete(workflowId);
    board.hold(workflowId, false);
    board.closed();
    await work.tellTail();
  }
}
