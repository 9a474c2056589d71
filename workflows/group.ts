import {
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  isCancellation,
  patched,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { GroupBoard } from '../src/core/group/group-board.js';
import { rolloutWorkflowId } from '../src/core/ids.js';
import type { GroupDigest, GroupInput, GroupOpening } from '../src/core/run/workflow-messages.js';
import { acceptEnd } from './child-end.js';
import { childOptions } from './child-options.js';
import { InOrder } from './in-order.js';
import { heldSignal, pauseSignal, roomSignal, shareSignal } from './messages.js';
import { handlePauses, tell, tellChild } from './pass-on.js';
import { bookkeeping } from './policies.js';
import { rollout } from './rollout.js';
import { rolloutAttributes } from './search-attributes.js';

/**
 * The rollouts of one task that share a baseline: all of them, or until enough are scored and the others are
 * late; then its record is put, once. About 7 events a member.
 */
export async function group(input: GroupInput): Promise<GroupDigest> {
  const { runId, taskId, index } = input;
  const key = { runId, taskId, index };
  const opening = await bookkeeping.openGroup(key);
  if (opening.closed !== null) return opening.closed;
  const members = new Members(input, opening);
  let cancelled: unknown = null;
  try {
    await members.run();
  } catch (error) {
    if (!isCancellation(error)) throw error;
    cancelled = error;
  }
  return CancellationScope.nonCancellable(async () => {
    await condition(allHandlersFinished);
    const digest = await bookkeeping.closeGroup({ ...key, whole: cancelled === null });
    if (cancelled !== null || digest === null) throw cancelled ?? new CancelledFailure('group cancelled');
    return digest;
  });
}

/** The members of a group while it is open. */
class Members {
  private readonly board: GroupBoard;
  private readonly running = new Map<string, CancellationScope>();
  private readonly toMembers = new InOrder();
  private telling = false;

  constructor(
    private readonly input: GroupInput,
    private readonly opening: GroupOpening,
  ) {
    this.board = new GroupBoard(opening, input.atOnce, Date.now());
    this.handleMessages();
  }

  /** Throws the cancellation of the group once all its members have ended. */
  async run(): Promise<void> {
    const children: Promise<void>[] = [];
    const { board } = this;
    const late = new CancellationScope();
    const watching = late.run(() => this.watchDeadline()).catch(ignoreCancellation);
    try {
      await this.tellParent();
      for (const [i, sample] of this.opening.samples.entries()) {
        await condition(() => board.mayStart);
        children.push(this.runMember(sample, this.opening.begun || i >= this.input.atOnce));
      }
      await Promise.all(children);
      if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('group cancelled');
    } finally {
      await CancellationScope.nonCancellable(async () => {
        await Promise.all(children);
        late.cancel();
        await watching;
      });
    }
  }

  private async runMember(sample: number, urgent: boolean): Promise<void> {
    const { runId, taskId, incarnation, policy } = this.input;
    const key = { runId, taskId, sample };
    const workflowId = rolloutWorkflowId(key);
    const { board, running } = this;
    let hasScore = false;
    board.started();
    const scope = new CancellationScope();
    try {
      hasScore = await scope.run(async () => {
        const child = await startChild(rollout, {
          ...childOptions(incarnation),
          workflowId,
          args: [{ ...key, incarnation, policy, ...(urgent ? { urgent } : {}) }],
          typedSearchAttributes: rolloutAttributes(key),
        });
        running.set(workflowId, scope);
        if (board.expired) scope.cancel();
        if (board.paused) await this.pauseFirst(() => tellChild(child, pauseSignal));
        return (await child.result()).reward !== null;
      });
    } catch (error) {
      acceptEnd(error);
    } finally {
      running.delete(workflowId);
      board.closed(workflowId, hasScore, Date.now());
      await this.tellParent();
    }
  }

  /** What a member is told as it starts comes before what all are told next. Histories from before that replay as they were. */
  private pauseFirst(send: () => Promise<void>): Promise<void> {
    return patched('start-paused-in-order') ? this.toMembers.run(send) : send();
  }

  /** Members that end late are cancelled; what they have done stays. */
  private async watchDeadline(): Promise<void> {
    const { board } = this;
    while (!board.ended) {
      const seen = board.version;
      const left = board.msLeft(Date.now());
      const changed = () => board.version !== seen;
      if (left === null) await condition(changed);
      else if (left === 0 || !(await condition(changed, left))) {
        board.expired = true;
        for (const scope of this.running.values()) scope.cancel();
        return;
      }
    }
  }

  private handleMessages(): void {
    const { board, running } = this;
    handlePauses(
      (paused) => board.pause(paused, Date.now()),
      () => running.keys(),
      this.toMembers,
    );
    setHandler(heldSignal, (id, held) => {
      board.hold(id, held && running.has(id));
      return this.tellParent();
    });
    setHandler(shareSignal, (atOnce) => {
      board.resize(atOnce);
      return this.tellParent();
    });
  }

  /** One signal at a time: two on their way may arrive in either order. */
  private async tellParent(): Promise<void> {
    const { parent, workflowId } = workflowInfo();
    if (!parent || this.telling) return;
    this.telling = true;
    for (let news = this.board.takeNews(); news !== null; news = this.board.takeNews())
      await tell(parent.workflowId, roomSignal, workflowId, news);
    this.telling = false;
  }
}

function ignoreCancellation(error: unknown): void {
  if (!isCancellation(error)) throw error;
}
