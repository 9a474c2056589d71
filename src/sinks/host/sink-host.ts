import type { Logger } from 'pino';
import { LongrunError } from '../../core/errors.js';
import { type Lifecycle, mayGoOn } from '../../core/rollout/lifecycle.js';
import type { SinkInput } from '../../core/run/workflow-messages.js';
import { readRun } from '../../store/runs.js';
import type { Sink, SinkContext } from '../sink.js';
import { openContext } from './open-context.js';
import { SinkClaim } from './sink-claim.js';
import type { SinkHostParts } from './sink-host-parts.js';

/** Executes the sinks of runs, one executor of a sink at a time. */
export class SinkHost {
  constructor(private readonly parts: SinkHostParts) {}

  /** Until everything of a run that has ended is delivered. Throws `Detached` when told to stop before. */
  run(input: SinkInput, lifecycle: Lifecycle): Promise<void> {
    return this.act(input, lifecycle, (sink, context) => sink.run(context));
  }

  /** Takes leave of the sink's peer. */
  close(input: SinkInput, lifecycle: Lifecycle): Promise<void> {
    return this.act(input, lifecycle, (sink, context) =>
      sink.close(context, input.cancelled === true ? 'cancelled' : 'finished'),
    );
  }

  private async act(
    { runId, incarnation, sink: name }: SinkInput,
    lifecycle: Lifecycle,
    work: (sink: Sink, context: SinkContext) => Promise<void>,
  ): Promise<void> {
    const { store, factories, hostId, now } = this.parts;
    const logger = this.parts.logger.child({ runId, sink: name });
    const run = await readRun(store, runId);
    const claim = await SinkClaim.take(store, { runId, sink: name }, { incarnation, hostId, at: now() });
    const { context, closeContext } = await openContext(
      { ...this.parts, logger, run, name, claim },
      lifecycle,
    );
    try {
      await work(factories[name](run), context);
    } catch (error) {
      throw asTrouble(error, lifecycle, logger);
    } finally {
      await closeContext();
    }
    mayGoOn(lifecycle);
  }
}

/** A bug in a sink holds the run's groups back and loses none: it is tried again until somebody has mended it. */
function asTrouble(error: unknown, lifecycle: Lifecycle, logger: Logger): unknown {
  if (LongrunError.is(error)) return error;
  // Waits end in words of their own when the executor is told to stop.
  mayGoOn(lifecycle);
  logger.error({ err: error }, 'the sink failed unexpectedly; it is tried again');
  return new LongrunError('internal', `the sink failed unexpectedly: ${String(error)}`, {
    retryable: true,
    cause: error,
  });
}
