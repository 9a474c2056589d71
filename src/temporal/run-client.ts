import type { PauseReason } from '../core/run/pause-reason.js';
import type { SinkName } from '../core/run/serve-config.schema.js';
import type { PoolStanding } from '../core/run/workflow-messages.js';

/** Counts of a run's rollouts by where they are. */
export interface RunProgress {
  runId: string;
  status: 'running' | 'paused' | 'draining' | 'cancelled' | 'finished' | 'failed';
  /** Why it is paused; null while it is not. */
  reason: PauseReason | null;
  /** More about that, in words, where there is more. */
  detail?: string | null;
  total: number;
  done: number;
  running: number;
}

/** Handles of runs on a Temporal cluster: what the CLI and the HTTP API use. Implemented in `temporal/`. */
export interface RunClient {
  /** Starts the run's workflow, or finds the running one: starting twice is harmless. */
  start(runId: string): Promise<void>;
  /** Resolves when the workflow has closed: `finished`, `cancelled` or `failed`. */
  wait(runId: string, signal: AbortSignal): Promise<'finished' | 'cancelled' | 'failed'>;
  /** Null when the cluster does not know the run. */
  progress(runId: string): Promise<RunProgress | null>;
  /** Without a reason it is a person's wish. */
  pause(runId: string, reason?: PauseReason): Promise<void>;
  resume(runId: string): Promise<void>;
  cancel(runId: string): Promise<void>;
  setConcurrency(runId: string, concurrency: number): Promise<void>;
  /** Tells a run that its limits were changed; one that its budget has paused goes on when that was raised. */
  amend(runId: string, standing: PoolStanding, raised: boolean): Promise<void>;
  /** Of a run that serves: groups with a lower number than `limit` may start, as far as `sink` is concerned. */
  allow(runId: string, sink: SinkName, limit: number): Promise<void>;
  /** Of a run that serves: nothing new is started, what runs ends in order. */
  finish(runId: string): Promise<void>;
  /** Ends the old workflows and starts new ones under the same ids with the next incarnation. */
  recover(runId: string): Promise<{ incarnation: number }>;
  /** Host workers polling now. */
  workers(): Promise<number>;
}
