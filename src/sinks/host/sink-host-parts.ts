import type { Logger } from 'pino';
import type { SinkName } from '../../core/run/serve-config.schema.js';
import type { Clock } from '../../core/time.js';
import type { ArtifactStore } from '../../store/store.js';
import type { Outcome, SinkFactories } from '../sink.js';

/** What sinks tell a run's workflow. Errors: `temporal_unreachable` (retryable). */
export interface RunMessages {
  allow(runId: string, sink: SinkName, limit: number): Promise<void>;
  finish(runId: string): Promise<void>;
}

/** Counts what goes through sinks. */
export interface SinkObserver {
  /** A group was read to be shipped: the lags of its rollouts, and how many of them are masked. */
  groupRead(sink: SinkName, lags: readonly (number | null)[], masked: number): void;
  groupSettled(sink: SinkName, outcome: Outcome): void;
}

export interface SinkHostParts {
  store: ArtifactStore;
  factories: SinkFactories;
  runs: RunMessages;
  observer: SinkObserver;
  hostId: string;
  logger: Logger;
  env: NodeJS.ProcessEnv;
  now: Clock;
}
