import type { SinkInput } from '../src/core/run/workflow-messages.js';
import type { ActivityDeps } from './activity-deps.js';
import { Executors } from './executors.js';
import { withLifecycle } from './with-lifecycle.js';

export interface SinkActivities {
  /** Delivers groups until the run has ended and nothing is left to deliver. Goes on where another executor stood. */
  runSink(input: SinkInput): Promise<void>;
  /** Takes leave of the sink's peer, once the run is over. */
  closeSink(input: SinkInput): Promise<void>;
}

/** To be made once per process: a newer executor of a sink, on whatever queue, waits for the end of the older. */
export function createSinkActivities({ shutdown, sinks }: ActivityDeps): SinkActivities {
  const executors = new Executors();
  const act = (input: SinkInput, work: typeof sinks.run): Promise<void> =>
    withLifecycle(shutdown, (lifecycle) =>
      executors.run(`${input.runId}/${input.sink}`, lifecycle, (own) => work.call(sinks, input, own)),
    );
  return {
    runSink: (input) => act(input, sinks.run),
    closeSink: (input) => act(input, sinks.close),
  };
}
