import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { partitionWorkflowId } from '../src/core/ids.js';
import { RunBoard } from '../src/core/run/run-board.js';
import { ServeBoard } from '../src/core/run/serve-board.js';
import type { PartitionInput, RunInput, RunOpening } from '../src/core/run/workflow-messages.js';
import { childOptions } from './child-options.js';
import { partition } from './partition.js';
import { PartitionTeller } from './partition-teller.js';
import { bookkeeping } from './policies.js';
import {
  handlePartitions,
  handleSinks,
  handleSteering,
  noteStandstill,
  type RunDesk,
} from './run-messages.js';
import { RunSinks } from './run-sinks.js';
import { runAttributes } from './search-attributes.js';

/** How continue-as-new names the workflow that it carries on. */
type RunWorkflow = (input: RunInput) => Promise<void>;

interface Conduct extends RunDesk {
  input: RunInput;
  /** Null where nothing is served. */
  sinks: RunSinks | null;
}

/**
 * One run, whatever its mode: its partitions (or shifts) in order, two open at a time. Continues as new only with no
 * child open, because continue-as-new applies the parent-close policy to every child.
 */
export async function conductRun(input: RunInput): Promise<void> {
  const { runId, incarnation } = input;
  const continued = input.carried === undefined ? {} : { continued: true as const };
  const opening = await bookkeeping.openRun({ runId, incarnation, ...continued });
  if (opening.finished) return;
  const conduct = begin(input, opening);
  try {
    await runPartitions(conduct, input.carried?.nextPartition ?? opening.serve?.first ?? 0);
    await endServing(conduct);
  } catch (error) {
    if (isCancellation(error)) await close(conduct, 'cancelled');
    throw error;
  }
  await close(conduct, 'finished');
}

function begin(input: RunInput, opening: RunOpening): Conduct {
  const carried = input.carried ?? {
    paused: false,
    done: opening.done ?? 0,
    concurrency: opening.concurrency,
  };
  const board = new RunBoard(carried.concurrency, carried);
  const serve = opening.serve === undefined ? null : new ServeBoard(opening.serve, input.carried?.serve);
  const teller = new PartitionTeller(input.runId, board, opening, serve);
  const sinks = opening.serve === undefined ? null : new RunSinks(input, opening.serve, board, teller);
  const conduct = { input, opening, board, serve, teller, sinks };
  handleSteering(conduct);
  handlePartitions(conduct);
  if (serve !== null) handleSinks(board, serve, teller);
  sinks?.start();
  return conduct;
}

/** Nothing more is started and everything that was has closed: the feed gets its end, and sinks deliver what is left. */
async function endServing({ input: { runId }, serve, sinks }: Conduct): Promise<void> {
  if (serve === null || sinks === null) return;
  await bookkeeping.endServing({ runId, reason: serve.state.finishing ? 'trainer' : 'groups' });
  await sinks.ended();
}

/** The run is closed last: whoever finds it closed can rely on its sinks having taken leave. */
function close({ input: { runId }, sinks }: Conduct, status: 'finished' | 'cancelled'): Promise<void> {
  return CancellationScope.nonCancellable(async () => {
    await sinks?.stop();
    await condition(allHandlersFinished);
    if (sinks !== null && status === 'cancelled')
      await bookkeeping.endServing({ runId, reason: 'cancelled' });
    await sinks?.close(status);
    await bookkeeping.closeRun({ runId, status });
  });
}

async function runPartitions(conduct: Conduct, first: number): Promise<void> {
  const { board, opening, teller } = conduct;
  const children: Promise<void>[] = [];
  let failure: unknown = null;
  try {
    for (let index = first; index < opening.partitions; index++) {
      const turn = await nextTurn(conduct, index, index - first, () => failure !== null);
      if (turn === 'renew') await condition(() => board.openCount === 0);
      if (failure !== null) throw failure;
      if (turn === 'over') break;
      if (turn === 'renew') await startOver(conduct, index);
      children.push(
        runPartition(conduct, index)
          .then(() => teller.shares())
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

type Turn = 'open' | 'over' | 'renew';

/** Waits until it is clear what to do with the next partition; `opened` are those of this history. */
async function nextTurn(
  { board, serve, opening }: Conduct,
  index: number,
  opened: number,
  hasFailed: () => boolean,
): Promise<Turn> {
  const most = opening.serve?.shiftsPerHistory ?? Number.POSITIVE_INFINITY;
  const mustRenew = () => workflowInfo().continueAsNewSuggested || opened >= most;
  const isOver = () => serve?.isOver(index) ?? false;
  const mayOpen = () => board.mayOpen && (serve?.mayOpen(index) ?? true);
  if (mustRenew()) return isOver() ? 'over' : 'renew';
  // A run that serves may wait for its trainers for weeks, which tell it now and then that it has to.
  const mustWake = () => serve !== null && mustRenew();
  await condition(() => mayOpen() || isOver() || hasFailed() || mustWake());
  if (isOver()) return 'over';
  return mayOpen() || !mustWake() ? 'open' : 'renew';
}

async function startOver({ input, board, serve, sinks }: Conduct, nextPartition: number): Promise<void> {
  await sinks?.stop();
  await condition(allHandlersFinished);
  const { paused, reason, detail, done, concurrency, deadGroups: dead } = board;
  await continueAsNew<RunWorkflow>({
    ...input,
    carried: {
      ...{ paused, reason, done, nextPartition, concurrency, dead },
      ...(detail === null ? {} : { detail }),
      ...(serve === null ? {} : { serve: serve.state }),
    },
  });
}

async function runPartition(conduct: Conduct, index: number): Promise<void> {
  const { board, serve, opening, teller } = conduct;
  const { runId, incarnation } = conduct.input;
  const args: PartitionInput = {
    runId,
    incarnation,
    index,
    window: board.opened(index),
    paused: board.paused,
    policy: opening.policy,
    ...(opening.groups === true ? { concurrency: board.concurrency } : {}),
    ...(serve === null ? {} : { orders: serve.opened(index) }),
  };
  let done = 0;
  try {
    const child = await startChild(partition, {
      ...childOptions(incarnation),
      workflowId: partitionWorkflowId(runId, index),
      args: [args],
      typedSearchAttributes: runAttributes(runId),
    });
    board.hasStarted(index);
    await teller.catchUp(index, args);
    done = (await child.result()).done;
  } finally {
    board.closed(index, done);
    serve?.closed(index);
  }
}
