import {
  allHandlersFinished,
  CancellationScope,
  ChildWorkflowCancellationType,
  condition,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  setHandler,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import { evaluateWorkflowId, type RolloutKey, rolloutWorkflowId } from '../src/core/ids.js';
import { PartitionBoard } from '../src/core/partition-board.js';
import type { PartitionInput, PartitionSummary } from '../src/core/workflow-messages.js';
import {
  exhaustedSignal,
  heldSignal,
  pauseSignal,
  progressQuery,
  resumeSignal,
  shareSignal,
  standingSignal,
} from './messages.js';
import { bookkeeping } from './policies.js';
import { rollout } from './rollout.js';
import { rolloutAttributes } from './search-attributes.js';

/**
 * Up to 300 rollouts of a run, as many at once as its share of the window. About 7 events a
 * rollout: it never has to continue as new.
 */
export async function partition(input: PartitionInput): Promise<PartitionSummary> {
  const { runId, incarnation, index } = input;
  const opening = await bookkeeping.openPartition({ runId, incarnation, index });
  const keys = opening.open.flatMap((t) => t.samples.map((sample) => ({ runId, taskId: t.taskId, sample })));
  const board = new PartitionBoard(keys.length, opening.done, input.window, input.paused);
  const running = new Map<string, RolloutKey>();
  const run = getExternalWorkflowHandle(evaluateWorkflowId(runId));

  const passOn = async (signal: typeof pauseSignal | typeof resumeSignal) => {
    board.paused = signal === pauseSignal;
    // One that has closed meanwhile has nothing to pause.
    const tell = (id: string) =>
      getExternalWorkflowHandle(id)
        .signal(signal)
        .catch(() => undefined);
    await Promise.all([...running.keys()].map(tell));
  };
  setHandler(shareSignal, (share) => {
    board.window = share;
  });
  setHandler(pauseSignal, () => passOn(pauseSignal));
  setHandler(resumeSignal, () => passOn(resumeSignal));
  setHandler(progressQuery, () => ({
    status: board.paused ? 'paused' : 'running',
    total: keys.length + opening.done,
    done: board.done,
    running: board.running,
  }));

  const tellTail = async () => {
    const tail = board.takeTail();
    if (tail !== null) await run.signal(exhaustedSignal, index, tail, board.heldCount).catch(() => undefined);
  };
  setHandler(heldSignal, (id, held) => {
    board.hold(id, held && running.has(id));
    return tellTail();
  });
  let { policy } = input;
  setHandler(standingSignal, (standing) => {
    policy = { ...policy, ...standing };
  });
  const runOne = async (key: RolloutKey) => {
    const workflowId = rolloutWorkflowId(key);
    board.started();
    try {
      const child = await startChild(rollout, {
        workflowId,
        args: [{ ...key, incarnation, policy }],
        parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
        cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
        workflowIdReusePolicy:
          incarnation > 1 ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE,
        typedSearchAttributes: rolloutAttributes(key),
      });
      running.set(workflowId, key);
      if (board.paused) await child.signal(pauseSignal);
      await child.result();
    } catch {
      // Cancelled, terminated or already there: the store says what became of it, not this history.
    } finally {
      running.delete(workflowId);
      board.hold(workflowId, false);
      board.closed();
      await tellTail();
    }
  };

  const children: Promise<void>[] = [];
  try {
    for (const key of keys) {
      await condition(() => board.mayStart);
      children.push(runOne(key));
    }
    await tellTail();
    await Promise.all(children);
  } finally {
    await CancellationScope.nonCancellable(async () => {
      await Promise.all(children);
      await condition(allHandlersFinished);
    });
  }
  return { done: board.done };
}
