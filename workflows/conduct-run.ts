import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  setHandler,
  startChild,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { partitionWorkflowId } from '../src/core/ids.js';
import { isBudget, MEMO_PAUSED_BY } from '../src/core/pause-reason.js';
import { RunBoard } from '../src/core/run-board.js';
import type { RunInput, RunOpening } from '../src/core/workflow-messages.js';
import { childOptions } from './child-options.js';
import {
  amendedSignal,
  concurrencySignal,
  exhaustedSignal,
  groupEndedSignal,
  pauseSignal,
  progressQuery,
  resumeSignal,
  shareSignal,
  standingSignal,
} from './messages.js';
import { partition } from './partition.js';
import { bookkeeping } from './policies.js';
import { runAttributes } from './search-attributes.js';

/** How continue-as-new names the workflow that it carries on. */
type RunWorkflow = (input: RunInput) => Promise<void>;

/**
 * One run, whatever its mode: its partitions in order, two open at a time. Continues as new only with no child
 * open, because continue-as-new applies the parent-close policy to every child.
 */
export async function conductRun(input: RunInput): Promise<void> {
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
function handleMessages(input: RunInput, board: RunBoard, opening: RunOpening): () => Promise<void> {
  // A partition that closed meanwhile has nothing to be told.
  const tell = async (index: number, send: (id: string) => Promise<void>) =>
    send(partitionWorkflowId(input.runId, index)).catch(() => undefined);
  const tellShares = async () => {
    for (const { index, share } of board.takeNews())
      await tell(index, (id) =>
        getExternalWorkflowHandle(id).signal(shareSignal, share, ...whole(board, opening)),
      );
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
    if (!raised || (board.reason !== null && !isBudget(board.reason))) return;
    board.resume();
    noteStandstill(board);
    await passOn(resumeSignal);
  });
  setHandler(concurrencySignal, (concurrency) => {
    board.resize(concurrency, opening.groups === true);
    return tellShares();
  });
  setHandler(exhaustedSignal, (index, running, held) => {
    board.exhausted(index, running, held);
    noteStandstill(board);
    return tellShares();
  });
  setHandler(groupEndedSignal, (index, dead) => {
    board.groupEnded(index, dead);
    const { deadGroups } = opening;
    if (deadGroups === undefined || board.deadGroups < deadGroups || board.paused) return;
    board.pause('dead_groups');
    noteStandstill(board);
    return passOn(pauseSignal);
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

/** Partitions of groups also know the whole window: a group larger than it runs so many members at once. */
function whole(board: RunBoard, { groups }: RunOpening): [number] | [] {
  return groups === true ? [board.concurrency] : [];
}

/** For readers while no worker answers queries: why a run has paused itself. What a person did needs no note. */
function noteStandstill(board: RunBoard): void {
  const noted = workflowInfo().memo?.[MEMO_PAUSED_BY] ?? null;
  const budget = board.standstill === 'person' ? null : board.standstill;
  if (budget !== noted) upsertMemo({ [MEMO_PAUSED_BY]: budget });
}

async function runPartitions(
  input: RunInput,
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

async function startOver(input: RunInput, board: RunBoard, nextPartition: number): Promise<void> {
  await condition(() => board.openCount === 0 && allHandlersFinished());
  const { paused, reason, done, concurrency, deadGroups: dead } = board;
  await continueAsNew<RunWorkflow>({
    ...input,
    carried: { paused, reason, done, nextPartition, concurrency, dead },
  });
}

async function runPartition(
  input: RunInput,
  board: RunBoard,
  opening: RunOpening,
  index: number,
): Promise<void> {
  const { runId, incarnation } = input;
  const window = board.opened(index);
  let done = 0;
  try {
    const child = await startChild(partition, {
      ...childOptions(incarnation),
      workflowId: partitionWorkflowId(runId, index),
      args: [
        {
          runId,
          incarnation,
          index,
          window,
          paused: board.paused,
          policy: opening.policy,
          ...(opening.groups === true ? { concurrency: board.concurrency } : {}),
        },
      ],
      typedSearchAttributes: runAttributes(runId),
    });
    done = (await child.result()).done;
  } finally {
    board.closed(index, done);
  }
}
