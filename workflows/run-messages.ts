import { setHandler, upsertMemo, workflowInfo } from '@temporalio/workflow';
import { isBudget, MEMO_PAUSE_DETAIL, MEMO_PAUSED_BY } from '../src/core/run/pause-reason.js';
import type { RunBoard } from '../src/core/run/run-board.js';
import type { ServeBoard } from '../src/core/run/serve-board.js';
import type { RunOpening } from '../src/core/run/workflow-messages.js';
import {
  allowanceSignal,
  amendedSignal,
  concurrencySignal,
  exhaustedSignal,
  finishSignal,
  groupEndedSignal,
  groupFailedSignal,
  pauseSignal,
  progressQuery,
  resumeSignal,
} from './messages.js';
import type { PartitionTeller } from './partition-teller.js';

/** What the messages to a run act on. */
export interface RunDesk {
  board: RunBoard;
  serve: ServeBoard | null;
  opening: RunOpening;
  teller: PartitionTeller;
}

/** What people and budgets tell a run, and the answer to how it stands. */
export function handleSteering({ board, serve, opening, teller }: RunDesk): void {
  const resume = (): Promise<void> => {
    board.resume();
    noteStandstill(board);
    return teller.pauseOrResume();
  };
  setHandler(pauseSignal, (reason) => {
    board.pause(reason ?? 'person');
    noteStandstill(board);
    return teller.pauseOrResume();
  });
  setHandler(resumeSignal, resume);
  setHandler(amendedSignal, async (standing, raised) => {
    opening.policy = { ...opening.policy, ...standing };
    await teller.standing(standing);
    if (!raised || (board.reason !== null && !isBudget(board.reason))) return;
    await resume();
  });
  setHandler(concurrencySignal, (concurrency) => {
    board.resize(concurrency, opening.groups === true);
    return teller.shares();
  });
  setHandler(progressQuery, () => ({
    status: board.standstill === null ? 'running' : 'paused',
    reason: board.standstill,
    detail: board.detail,
    total: serve === null ? opening.total : serve.total,
    done: board.done,
    running: board.openCount,
  }));
}

/** What its partitions tell a run. */
export function handlePartitions({ board, opening, teller }: RunDesk): void {
  setHandler(exhaustedSignal, (index, running, held) => {
    board.exhausted(index, running, held);
    noteStandstill(board);
    return teller.shares();
  });
  setHandler(groupEndedSignal, (index, dead) => {
    board.groupEnded(index, dead);
    const { deadGroups } = opening;
    if (deadGroups === undefined || board.deadGroups < deadGroups || board.paused) return;
    board.pause('dead_groups');
    noteStandstill(board);
    return teller.pauseOrResume();
  });
}

/** What its sinks tell a run that serves, and its shifts of groups that will never close by themselves. */
export function handleSinks(board: RunBoard, serve: ServeBoard, teller: PartitionTeller): void {
  setHandler(groupFailedSignal, (group, why) => {
    board.pause('group_failed', `${group}: ${why}`);
    noteStandstill(board);
    return teller.pauseOrResume();
  });
  setHandler(allowanceSignal, (sink, limit) => {
    serve.allow(sink, limit);
    return teller.orders();
  });
  setHandler(finishSignal, () => {
    serve.finish();
    return teller.orders();
  });
}

/** For readers while no worker answers queries: why a run has paused itself. What a person did needs no note. */
export function noteStandstill(board: RunBoard): void {
  const { memo = {} } = workflowInfo();
  const reason = board.standstill === 'person' ? null : board.standstill;
  const detail = reason === null ? null : board.detail;
  if (reason === (memo[MEMO_PAUSED_BY] ?? null) && detail === (memo[MEMO_PAUSE_DETAIL] ?? null)) return;
  upsertMemo({
    [MEMO_PAUSED_BY]: reason,
    ...(detail === (memo[MEMO_PAUSE_DETAIL] ?? null) ? {} : { [MEMO_PAUSE_DETAIL]: detail }),
  });
}
