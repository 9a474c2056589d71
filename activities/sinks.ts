import type { SinkInput } from '../src/core/workflow-messages.js';

export interface SinkActivities {
  /** Delivers groups until the run has ended and nothing is left to deliver. Goes on where another executor stood. */
  runSink(input: SinkInput): Promise<void>;
  /** Takes leave of the sink's peer, once the run is over. */
  closeSink(input: SinkInput): Promise<void>;
}
