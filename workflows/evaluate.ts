import {
  allHandlersFinished,
  CancellationScope,
  ChildWorkflowCancellationType,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  setHandler,
  startChild,
  upsertMemo,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import { partitionWorkflowId } from '../src/core/ids.js';
import { MEMO_PAUSED_BY } from '../src/core/pause-reason.js';
import { RunBoard } from '../src/core/run-board.js';
import type { EvaluateInput, RunOpening } from '../src/core/workflow-messages.js';
import {
  amendedSignal,
  concurrencySignal,
  exhaustedSignal,
  pauseSignal,
  progressQuery,
  resumeSignal,
  shareSignal,
  standingSignal,
} from './messages.js';
import { partition } from './partition.js';
import { bookkeeping } from './policies.js';
import { runAttributes } from './search-attributes.js';

/**
 * One run: its partitions in order, two open at a time. Continues as new only with no child open,
 * because continue-as-new applies the parent-close policy to every child.
 */
export async function evaluate(input: EvaluateInput): Promise<void> {
  const opening = await bookkeeping.openRun({ runId: input.runId, incarnation: input.incarnation });
  if (opening.finished) return;
  const carried = input.carried ?? {
    paused: false,
    done: 0,
    nextPartition: 0,
    concurrency: opening.concurrency,
  };
  const board = new RunBoard(carried.concurrency, carried);
  const tellShares = handleMessages(input, board, opening);
  try {
    await runPartitions(input, board, opening, carried.nextPartition, tellShares);
  } catch (error) {
    if (isCancellation(error)) await close(input.runId, 'cancelled');
    throw error;
  }
  await close(input.runId, 'finished');
}

function close(runId: string, status: 'finished' | 'cancelled'): Promise<void> {
  return CancellationScope.nonCancellable(async () => {
    await condition(allHandlersFinished);
    await bookkeeping.closeRun({ runId, status });
  });
}

/** Answers the function that tells open partitions their changed shares. */
function handleMessages(input: EvaluateInput, board: RunBoard, opening: RunOpening): () => Promise<void> {
  // A partition that closed meanwhile has nothing to be told.
  const tell = async (index: number, send: (id: string) => Promise<void>) =>
    send(partitionWorkflowId(input.runId, index)).catch(() => undefined);
  const tellShares = async () => {
    for (const { index, share } of board.takeNews())
      await tell(index, (id) => getExternalWorkflowHandle(id).signal(shareSignal, share));
  };
  const passOn = async (signal: typeof pauseSignal | typeof resumeSignal) => {
    for (const index of board.openIndexes)
      await tell(index, (id) => getExternalWorkflowHandle(id).signal(signal));
  };
  setHandler(pauseSignal, (reason) => {
    board.pause(reason ?? 'person');
    noteStandstill(board);
    return passOn(pauseSignal);
  });
  setHandler(resumeSignal, () => {
    board.resume();
    noteStandstill(board);
    return passOn(resumeSignal);
  });
  setHandler(amendedSignal, async (standing, raised) => {
    opening.policy = { ...opening.policy, ...standing };
    for (const index of board.openIndexes)
      await tell(index, (id) => getExternalWorkflowHandle(id).signal(standingSignal, standing));
    if (!raised || board.reason === 'person') return;
    board.resume();
    noteStandstill(board);
    await passOn(resumeSignal);
  });
  setHandler(concurrencySignal, (concurrency) => {
    board.resize(concurrency);
    return tellShares();
  });
  setHandler(exhaustedSignal, (index, running, held) => {
    board.exhausted(index, running, held);
    noteStandstill(board);
    return tellShares();
  });
  setHandler(progressQuery, () => ({
    status: board.standstill === null ? 'running' : 'paused',
    reason: board.standstill,
    total: opening.total,
    done: board.done,
    running: board.openCount,
  }));
  return tellShares;
}

/** For readers while no worker answers queries: which budget a run waits for. What a person did needs no note. */
function noteStandstill(board: RunBoard): void {
  const noted = workflowInfo().memo?.[MEMO_PAUSED_BY] ?? null;
  const budget = board.standstill === 'person' ? null : board.standstill;
  if (budget !== noted) upsertMemo({ [MEMO_PAUSED_BY]: budget });
}

async function runPartitions(
  input: EvaluateInput,
  board: RunBoard,
  opening: RunOpening,
  first: number,
  tellShares: () => Promise<void>,
): Promise<void> {
  const children: Promise<void>[] = [];
  let failure: unknown = null;
  try {
    for (let index = first; index < opening.partitions; index++) {
      if (workflowInfo().continueAsNewSuggested) await startOver(input, board, index);
      await condition(() => board.mayOpen || failure !== null);
      if (failure !== null) throw failure;
      children.push(
        runPartition(input, board, opening, index)
          .then(tellShares)
          .catch((error) => {
            failure ??= error;
          }),
      );
    }
    board.allOpened = true;
    noteStandstill(board);
    await condition(() => board.openCount === 0);
    if (failure !== null) throw failure;
  } finally {
    await CancellationScope.nonCancellable(() => Promise.all(children));
  }
}

async function startOver(input: EvaluateInput, board: RunBoard, nextPartition: number): Promise<void> {
  await condition(() => board.openCount === 0 && allHandlersFinished());
  const { paused, reason, done, concurrency } = board;
  await continueAsNew<typeof evaluate>({
    ...input,
    carried: { paused, reason, done, nextPartition, concurrency },
  });
}

async function runPartition(
  input: EvaluateInput,
  board: RunBoard,
  opening: RunOpening,
  index: number,
): Promise<void> {
  const { runId, incarnation } = input;
  const window = board.opened(index);
  let done = 0;
  try {
    const child = await startChild(partition, {
      workflowId: partitionWorkflowId(runId, index),
      args: [{ runId, incarnation, index, window, paused: board.paused, policy: opening.policy }],
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      workflowIdReusePolicy:
        incarnation > 1 ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE,
      typedSearchAttributes: runAttributes(runId),
    });
    done = (await child.result()).done;
  } finally {
    board.closed(index, done);
  }
}
