import { startChild } from '@temporalio/workflow';
import type { PartitionBoard } from '../src/core/run/partition-board.js';
import type { RolloutInput } from '../src/core/run/workflow-messages.js';
import { acceptEnd } from './child-end.js';
import { childOptions } from './child-options.js';
import type { InOrder } from './in-order.js';
import { pauseSignal } from './messages.js';
import { tellChild } from './pass-on.js';
import { rollout } from './rollout.js';
import { rolloutAttributes } from './search-attributes.js';

/** Who conducts rollouts: a partition of a run, or a replay. */
export interface Conductor {
  board: PartitionBoard;
  /** Ids of the children that may be told something. */
  running: Set<string>;
  /** What they are told of a pause must arrive in order. */
  toChildren: InOrder;
  /** Tells whoever wants to know of what is still in flight. */
  tellTail?(): Promise<void>;
}

/** Runs one rollout to its end, whichever that is, and keeps the board. */
export async function runRollout(
  conductor: Conductor,
  workflowId: string,
  input: RolloutInput,
): Promise<void> {
  const { board, running, toChildren } = conductor;
  board.started();
  try {
    const child = await startChild(rollout, {
      ...childOptions(input.incarnation),
      workflowId,
      args: [input],
      typedSearchAttributes: rolloutAttributes(input),
    });
    running.add(workflowId);
    if (board.paused) await toChildren.run(() => tellChild(child, pauseSignal));
    await child.result();
  } catch (error) {
    acceptEnd(error);
  } finally {
    running.delete(workflowId);
    board.hold(workflowId, false);
    board.closed();
    if (conductor.tellTail) await conductor.tellTail();
  }
}
