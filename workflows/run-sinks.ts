import {
  ActivityFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  isCancellation,
} from '@temporalio/workflow';
import type { RunBoard } from '../src/core/run/run-board.js';
import type { SinkName } from '../src/core/run/serve-config.schema.js';
import type { RunInput, ServeOpening, SinkInput } from '../src/core/run/workflow-messages.js';
import type { PartitionTeller } from './partition-teller.js';
import { closingSink, sinkActivities } from './policies.js';
import { noteStandstill } from './run-messages.js';

/**
 * The sinks of a run that serves, one activity each for as long as the run lasts. One that cannot go on pauses the
 * run, which says why; it is started again when somebody resumes the run.
 */
export class RunSinks {
  private readonly scope = new CancellationScope();
  private working: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly input: RunInput,
    private readonly terms: ServeOpening,
    private readonly board: RunBoard,
    private readonly teller: PartitionTeller,
  ) {}

  start(): void {
    this.working = this.scope.run(() => Promise.allSettled(this.terms.sinks.map((sink) => this.work(sink))));
  }

  /** Until every sink has delivered what it promises; the feed has to have an end. */
  async ended(): Promise<void> {
    await this.working;
    if (this.scope.consideredCancelled) throw new CancelledFailure('sinks cancelled');
  }

  /** Stops them where they stand: others go on from the store. */
  async stop(): Promise<void> {
    this.scope.cancel();
    await this.working;
  }

  /** Takes leave of their peers. A peer, or a host, that is away for long has to do without. */
  async close(status: 'finished' | 'cancelled'): Promise<void> {
    const how = status === 'cancelled' ? { cancelled: true as const } : {};
    await Promise.all(
      this.terms.sinks.map((sink) =>
        closingSink(sink, this.terms.hostId)
          .closeSink({ ...this.inputOf(sink), ...how })
          .catch(() => undefined),
      ),
    );
  }

  private async work(sink: SinkName): Promise<void> {
    const { runSink } = sinkActivities(sink, this.terms.hostId);
    for (;;) {
      try {
        return await runSink(this.inputOf(sink));
      } catch (error) {
        if (isCancellation(error) || this.scope.consideredCancelled) throw error;
        await this.waitForHelp(sink, error);
      }
    }
  }

  private async waitForHelp(sink: SinkName, error: unknown): Promise<void> {
    const { board } = this;
    const cause = error instanceof ActivityFailure ? error.cause : error;
    board.pause('sink_failed', `${sink}: ${cause instanceof Error ? cause.message : String(cause)}`);
    noteStandstill(board);
    const { resumptions } = board;
    await this.teller.pauseOrResume();
    await condition(() => board.resumptions !== resumptions);
  }

  private inputOf(sink: SinkName): SinkInput {
    const { runId, incarnation } = this.input;
    return { runId, incarnation, sink };
  }
}
