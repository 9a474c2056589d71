import type { RolloutDeps } from '../src/rollout/deps.js';
import type { SinkHost } from '../src/sinks/host/sink-host.js';

export interface ActivityDeps extends RolloutDeps {
  /** Fires when this worker stops taking work: slices return at their next record. */
  shutdown: AbortSignal;
  /** This process's shares of model endpoints. */
  endpoints: { nudge(workflowId: string): void };
  /** Executes the sinks of runs that serve. */
  sinks: SinkHost;
}
