import { WorkflowNotFoundError } from '@temporalio/client';
import { LongrunError } from '../core/errors.js';
import type { RunMessages } from '../sinks/host/sink-host-parts.js';
import type { RunClient } from '../temporal/run-client.js';

/** How sinks reach the workflow of their run. One that has closed needs to be told nothing. */
export function runMessages(runs: Pick<RunClient, 'allow' | 'finish'>): RunMessages {
  return {
    allow: (runId, sink, limit) => told(() => runs.allow(runId, sink, limit)),
    finish: (runId) => told(() => runs.finish(runId)),
  };
}

async function told(send: () => Promise<void>): Promise<void> {
  try {
    await send();
  } catch (cause) {
    if (cause instanceof WorkflowNotFoundError) return;
    if (LongrunError.is(cause)) throw cause;
    throw new LongrunError('temporal_unreachable', `the run could not be told: ${(cause as Error).message}`, {
      retryable: true,
      cause,
    });
  }
}
