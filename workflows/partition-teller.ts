import type { SignalDefinition } from '@temporalio/workflow';
import { partitionWorkflowId } from '../src/core/ids.js';
import { DEFAULT_STANDING } from '../src/core/run/pool-priority.js';
import type { RunBoard } from '../src/core/run/run-board.js';
import type { ServeBoard } from '../src/core/run/serve-board.js';
import type { PartitionInput, PoolStanding, RunOpening } from '../src/core/run/workflow-messages.js';
import { InOrder } from './in-order.js';
import { ordersSignal, pauseSignal, resumeSignal, shareSignal, standingSignal } from './messages.js';
import { tell } from './pass-on.js';

/**
 * What a run tells its open partitions, one message at a time. One whose workflow has not started yet is told
 * by `catchUp`; one that has closed has nothing to be told.
 */
export class PartitionTeller {
  private readonly inOrder = new InOrder();

  constructor(
    private readonly runId: string,
    private readonly board: RunBoard,
    private readonly opening: RunOpening,
    private readonly serve: ServeBoard | null,
  ) {}

  /** Shares of the window that changed; partitions of groups also know the whole window, as a larger group runs so many members at once. */
  shares(): Promise<void> {
    return this.inOrder.run(async () => {
      const whole = this.opening.groups === true ? [this.board.concurrency] : [];
      for (const { index, share } of this.board.takeNews(this.tellable))
        await tell(this.idOf(index), shareSignal, share, ...(whole as [number] | []));
    });
  }

  pauseOrResume(): Promise<void> {
    const signal = this.board.paused ? pauseSignal : resumeSignal;
    return this.all(signal);
  }

  standing(standing: PoolStanding): Promise<void> {
    return this.all(standingSignal, standing);
  }

  /** What shifts may start, where that has changed. */
  orders(): Promise<void> {
    return this.inOrder.run(async () => {
      for (const { index, orders } of this.serve?.takeNews(this.tellable) ?? [])
        await tell(this.idOf(index), ordersSignal, orders);
    });
  }

  /** What happened between the command that started a partition and its start. */
  async catchUp(index: number, told: Pick<PartitionInput, 'paused' | 'policy'>): Promise<void> {
    if (!this.inOrder.applies) return;
    await this.inOrder.run(async () => {
      const { paused } = this.board;
      const { policy } = this.opening;
      if (paused !== told.paused) await tell(this.idOf(index), paused ? pauseSignal : resumeSignal);
      if (policy !== told.policy)
        await tell(this.idOf(index), standingSignal, { ...DEFAULT_STANDING, ...policy });
    });
    await this.shares();
    await this.orders();
  }

  private all<Args extends unknown[]>(signal: SignalDefinition<Args>, ...args: Args): Promise<void> {
    return this.inOrder.run(async () => {
      for (const index of this.tellable) await tell(this.idOf(index), signal, ...args);
    });
  }

  private get tellable(): number[] {
    return this.inOrder.applies ? this.board.startedIndexes : this.board.openIndexes;
  }

  private idOf(index: number): string {
    return partitionWorkflowId(this.runId, index);
  }
}
