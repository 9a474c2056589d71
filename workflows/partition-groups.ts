import { ChildWorkflowFailure, isCancellation, startChild } from '@temporalio/workflow';
import { type GroupKey, groupId, groupWorkflowId } from '../src/core/ids.js';
import type { PartitionOpening } from '../src/core/run/workflow-messages.js';
import { acceptEnd } from './child-end.js';
import { childOptions } from './child-options.js';
import { group } from './group.js';
import { groupEndedSignal, groupFailedSignal, pauseSignal } from './messages.js';
import type { PartitionWork, Unit } from './partition-work.js';
import { tell, tellChild } from './pass-on.js';
import { rolloutAttributes } from './search-attributes.js';

/** The groups of a partition, side by side: each starts when there is room for as many members as it may run at once. */
export function groupUnits(
  work: PartitionWork,
  { size, open, begun = 0 }: NonNullable<PartitionOpening['groups']>,
): Unit[] {
  const room = () => Math.min(size, work.concurrency);
  let toldDead: boolean | null = null;
  /** All that end without a score, and the first with some after them: the others are no news. */
  const tellEnd = async (dead: boolean) => {
    if (!dead && toldDead === false) return;
    toldDead = dead;
    await tell(work.runWorkflow, groupEndedSignal, work.input.index, dead);
  };
  const { runId } = work.input;
  return open.map(({ taskId, index, n = 0 }) => ({
    fits: () => work.board.fits(room()) && (n < begun || n < work.orders.limit),
    isDropped: () => work.orders.finishing && n >= begun,
    run: () => runGroup(work, { runId, taskId, index }, size, room(), tellEnd),
  }));
}

async function runGroup(
  work: PartitionWork,
  key: GroupKey,
  size: number,
  atOnce: number,
  tellEnd: (dead: boolean) => Promise<void>,
): Promise<void> {
  const { board, running, policy } = work;
  const { incarnation } = work.input;
  const workflowId = groupWorkflowId(key);
  board.groupStarted(workflowId, size, atOnce);
  try {
    const child = await startChild(group, {
      ...childOptions(incarnation),
      workflowId,
      args: [{ ...key, incarnation, policy, atOnce }],
      typedSearchAttributes: rolloutAttributes(key),
    });
    running.add(workflowId);
    if (board.paused) await work.toChildren.run(() => tellChild(child, pauseSignal));
    await tellEnd((await child.result()).dead);
  } catch (error) {
    acceptEnd(error);
    if (work.input.orders !== undefined && !isCancellation(error)) await tellFailure(work, key, error);
  } finally {
    running.delete(workflowId);
    board.groupClosed(workflowId, size);
    await work.tellTail();
  }
}

/** Trainers are given groups in the numbers that they allow: one that never closes would be waited for, and nobody told. */
async function tellFailure({ runWorkflow }: PartitionWork, key: GroupKey, error: unknown): Promise<void> {
  const cause = error instanceof ChildWorkflowFailure ? error.cause : error;
  const why = cause instanceof Error ? cause.message : String(cause);
  await tell(runWorkflow, groupFailedSignal, groupId(key), why);
}
