import {
  allHandlersFinished,
  CancellationScope,
  condition,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { evaluateWorkflowId } from '../src/core/ids.js';
import { PartitionBoard } from '../src/core/run/partition-board.js';
import type {
  PartitionInput,
  PartitionOpening,
  PartitionSummary,
} from '../src/core/run/workflow-messages.js';
import { InOrder } from './in-order.js';
import {
  exhaustedSignal,
  heldSignal,
  ordersSignal,
  progressQuery,
  roomSignal,
  shareSignal,
  standingSignal,
} from './messages.js';
import { groupUnits } from './partition-groups.js';
import { rolloutUnits } from './partition-rollouts.js';
import type { PartitionWork } from './partition-work.js';
import { handlePauses, passOn, tell } from './pass-on.js';
import { bookkeeping } from './policies.js';

/**
 * Up to 300 rollouts of a run, or the groups that hold so many, as many at once as its share of the window.
 * About 7 events a rollout, and 20 to 35 a group: it never has to continue as new.
 */
export async function partition(input: PartitionInput): Promise<PartitionSummary> {
  const { runId, incarnation, index } = input;
  const opening = await bookkeeping.openPartition({ runId, incarnation, index });
  const unstarted = countUnstarted(opening);
  const board = new PartitionBoard(unstarted, opening.done, input.window, input.paused);
  const runWorkflow = workflowInfo().parent?.workflowId ?? evaluateWorkflowId(runId);
  const toRun = new InOrder();
  const work: PartitionWork = {
    input,
    board,
    runWorkflow,
    running: new Set(),
    toChildren: new InOrder(),
    policy: input.policy,
    orders: input.orders ?? { limit: Number.POSITIVE_INFINITY, finishing: false },
    concurrency: input.concurrency ?? input.window,
    tellTail: () =>
      toRun.run(async () => {
        const tail = board.takeTail();
        if (tail !== null) await tell(runWorkflow, exhaustedSignal, index, tail, board.heldCount);
      }),
  };
  const { groups } = opening;
  const units = groups === undefined ? rolloutUnits(work, opening.open) : groupUnits(work, groups);
  handleMessages(work, unstarted + opening.done, groups?.size ?? 1);

  const children: Promise<void>[] = [];
  try {
    for (const unit of units) {
      await condition(() => unit.fits() || unit.isDropped());
      if (unit.isDropped()) {
        board.dropRest();
        break;
      }
      children.push(unit.run());
    }
    await work.tellTail();
    await Promise.all(children);
  } finally {
    await CancellationScope.nonCancellable(async () => {
      await Promise.all(children);
      await condition(allHandlersFinished);
    });
  }
  return { done: board.done };
}

function countUnstarted({ open, groups }: PartitionOpening): number {
  return groups === undefined
    ? open.reduce((sum, { samples }) => sum + samples.length, 0)
    : groups.open.length * groups.size;
}

function handleMessages(work: PartitionWork, total: number, size: number): void {
  const { board, running, toChildren } = work;
  setHandler(shareSignal, async (share, concurrency) => {
    board.window = share;
    if (concurrency === undefined) return;
    const [before, now] = [work.concurrency, concurrency].map((most) => Math.min(size, most));
    work.concurrency = concurrency;
    if (now !== undefined && now !== before) await toChildren.run(() => passOn(running, shareSignal, now));
  });
  handlePauses(
    (paused) => {
      board.paused = paused;
    },
    () => running,
    toChildren,
  );
  setHandler(progressQuery, () => ({
    status: board.paused ? 'paused' : 'running',
    total,
    done: board.done,
    running: board.running,
  }));
  setHandler(heldSignal, (id, held) => {
    board.hold(id, held && running.has(id));
    return work.tellTail();
  });
  setHandler(roomSignal, (id, room) => {
    board.groupChanged(id, room);
    return work.tellTail();
  });
  setHandler(ordersSignal, (orders) => {
    work.orders = orders;
  });
  setHandler(standingSignal, (standing) => {
    work.policy = { ...work.policy, ...standing };
  });
}
