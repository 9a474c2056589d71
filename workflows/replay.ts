import {
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowCancellationType,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  setHandler,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import { replayRolloutWorkflowId } from '../src/core/ids.js';
import { PartitionBoard } from '../src/core/partition-board.js';
import type { ReplayInput, ReplayOpening } from '../src/core/workflow-messages.js';
import { concurrencySignal, pauseSignal, progressQuery, resumeSignal } from './messages.js';
import { bookkeeping } from './policies.js';
import { rollout } from './rollout.js';
import { rolloutAttributes } from './search-attributes.js';

/**
 * One replay of a run: its new attempts, as many at once as the run has rollouts. A page of members
 * at a time, and continues as new between pages, when no child is open.
 */
export async function replay(input: ReplayInput): Promise<void> {
  const { runId, replayId } = input;
  const carried = input.carried ?? { paused: false, done: 0 };
  let opening: ReplayOpening;
  let board: PartitionBoard;
  try {
    opening = await bookkeeping.openReplay(input);
    const done = opening.more ? carried.done : opening.total - opening.open.length;
    board = new PartitionBoard(opening.open.length, done, opening.concurrency, carried.paused);
    await runMembers(input, opening, board);
  } catch (error) {
    if (isCancellation(error)) await close(input, 'cancelled');
    throw error;
  }
  if (!opening.more) return close(input, 'finished');
  await condition(allHandlersFinished);
  await continueAsNew<typeof replay>({
    ...input,
    runId,
    replayId,
    carried: { paused: board.paused, done: board.done },
  });
}

function close({ runId, replayId }: ReplayInput, status: 'finished' | 'cancelled'): Promise<void> {
  return CancellationScope.nonCancellable(async () => {
    await condition(allHandlersFinished);
    await bookkeeping.closeReplay({ runId, replayId, status });
  });
}

async function runMembers(input: ReplayInput, opening: ReplayOpening, board: PartitionBoard): Promise<void> {
  const running = new Set<string>();
  handleMessages(opening, board, running);
  const children: Promise<void>[] = [];
  try {
    for (const member of opening.open) {
      await condition(() => board.mayStart);
      children.push(runMember(input, opening, board, running, member));
    }
    await Promise.all(children);
    // Members that were cancelled with it have ended in order; the replay still ends as what it is.
    if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('replay cancelled');
  } finally {
    await CancellationScope.nonCancellable(() => Promise.all(children));
  }
}

function handleMessages(opening: ReplayOpening, board: PartitionBoard, running: ReadonlySet<string>): void {
  const passOn = async (signal: typeof pauseSignal | typeof resumeSignal) => {
    board.paused = signal === pauseSignal;
    // One that has closed meanwhile has nothing to pause.
    const tell = (id: string) =>
      getExternalWorkflowHandle(id)
        .signal(signal)
        .catch(() => undefined);
    await Promise.all([...running].map(tell));
  };
  setHandler(pauseSignal, () => passOn(pauseSignal));
  setHandler(resumeSignal, () => passOn(resumeSignal));
  setHandler(concurrencySignal, (concurrency) => {
    board.window = concurrency;
  });
  setHandler(progressQuery, () => ({
    status: board.paused ? 'paused' : 'running',
    total: opening.total,
    done: board.done,
    running: board.running,
  }));
}

async function runMember(
  input: ReplayInput,
  { policy }: ReplayOpening,
  board: PartitionBoard,
  running: Set<string>,
  { taskId, sample, nth }: ReplayOpening['open'][number],
): Promise<void> {
  const { runId, replayId, incarnation } = input;
  const key = { runId, taskId, sample };
  const workflowId = replayRolloutWorkflowId(key, { replayId, nth });
  board.started();
  try {
    const child = await startChild(rollout, {
      workflowId,
      args: [{ ...key, incarnation, policy, replay: { replayId, nth } }],
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      workflowIdReusePolicy:
        incarnation > 1 ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE,
      typedSearchAttributes: rolloutAttributes(key),
    });
    running.add(workflowId);
    if (board.paused) await child.signal(pauseSignal);
    await child.result();
  } catch {
    // Cancelled, terminated or already there: the store says what became of it, not this history.
  } finally {
    running.delete(workflowId);
    board.closed();
  }
}
