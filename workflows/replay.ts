import {
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  isCancellation,
  setHandler,
} from '@temporalio/workflow';
import { replayRolloutWorkflowId } from '../src/core/ids.js';
import { PartitionBoard } from '../src/core/run/partition-board.js';
import type { ReplayInput, ReplayOpening } from '../src/core/run/workflow-messages.js';
import { InOrder } from './in-order.js';
import { concurrencySignal, progressQuery } from './messages.js';
import { handlePauses } from './pass-on.js';
import { bookkeeping } from './policies.js';
import { type Conductor, runRollout } from './run-rollout.js';

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
  const conductor: Conductor = { board, running: new Set(), toChildren: new InOrder() };
  handleMessages(opening, conductor);
  const children: Promise<void>[] = [];
  try {
    for (const member of opening.open) {
      await condition(() => board.mayStart);
      children.push(runMember(input, opening, conductor, member));
    }
    await Promise.all(children);
    // Members that were cancelled with it have ended in order; the replay still ends as what it is.
    if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('replay cancelled');
  } finally {
    await CancellationScope.nonCancellable(() => Promise.all(children));
  }
}

function handleMessages(opening: ReplayOpening, { board, running, toChildren }: Conductor): void {
  handlePauses(
    (paused) => {
      board.paused = paused;
    },
    () => running,
    toChildren,
  );
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

function runMember(
  { runId, replayId, incarnation }: ReplayInput,
  { policy }: ReplayOpening,
  conductor: Conductor,
  { taskId, sample, nth }: ReplayOpening['open'][number],
): Promise<void> {
  const key = { runId, taskId, sample };
  const replay = { replayId, nth };
  const workflowId = replayRolloutWorkflowId(key, replay);
  return runRollout(conductor, workflowId, { ...key, incarnation, policy, replay });
}
