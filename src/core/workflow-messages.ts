import type { AttemptKey, RolloutKey } from './ids.js';
import type { Failure, StopReason } from './outcome.js';

/**
 * What workflows and activities hand each other. Everything here enters Temporal's history:
 * one small object each, references instead of contents, fields only ever added.
 */

export interface EvaluateInput {
  runId: string;
  /** Raised by `runs recover`; part of every fence. */
  incarnation: number;
  /** What continue-as-new carries over. */
  carried?: { paused: boolean; done: number; nextPartition: number; concurrency: number };
}

/** How a run is worked off; read from the store once, at its start. */
export interface RunOpening {
  finished: boolean;
  total: number;
  concurrency: number;
  partitions: number;
  policy: RolloutPolicy;
}

export interface RolloutPolicy {
  poolQueue: string;
  maxAttempts: number;
  /** Backstop for one step of the agent, in ms: ends as infrastructure. The agent's own clock is in the records. */
  backstopMs: number;
  /** A host that takes no work for so long, twice in a row, is lost; null with a single host. */
  hostLossMs: number | null;
}

export interface PartitionInput {
  runId: string;
  incarnation: number;
  index: number;
  window: number;
  paused: boolean;
  policy: RolloutPolicy;
}

/** The rollouts of a partition that have no result yet. */
export interface PartitionOpening {
  done: number;
  open: { taskId: string; samples: number[] }[];
}

export interface PartitionSummary {
  done: number;
}

export interface RolloutInput extends RolloutKey {
  incarnation: number;
  policy: RolloutPolicy;
}

/** What a rollout's parent learns of it; the whole result is in the store. */
export interface RolloutDigest {
  sample: number;
  attempt: number;
  reward: number | null;
  stopReason: StopReason;
}

/** Which executor an activity is: the fence without Temporal's own attempt. */
export interface Executor {
  incarnation: number;
  slice: number;
}

export interface PlaceInput extends RolloutKey, Executor {
  maxAttempts: number;
}

export type PlaceAnswer =
  | { kind: 'sealed'; digest: RolloutDigest }
  | {
      kind: 'placed';
      attempt: number;
      steps: number;
      hostQueue: string;
      controlQueue: string;
    }
  /** Nothing to run on: the attempt ends here. */
  | { kind: 'failed'; attempt: number; stopReason: StopReason; failure: Failure };

export interface StepInput extends AttemptKey, Executor {
  step: number;
}

export interface SliceAnswer {
  done: boolean;
  /** Cumulative over the attempt, recomputed from records: never increments. */
  turns: number;
  tokens: number;
  stopReason: StopReason | null;
}

export interface VerifyAnswer {
  reward: number | null;
  /** Whether the next step of a multi-step task may run. */
  goOn: boolean;
}

export interface FinalizeInput extends AttemptKey {
  incarnation: number;
  maxAttempts: number;
  /** An end that no record tells of: placing failed, cancelled, host lost, backstop. */
  ended: { stopReason: StopReason; failure: Failure | null } | null;
}

export type FinalizeAnswer = { again: true; delayMs: number } | { again: false; digest: RolloutDigest };

export interface CloseRunInput {
  runId: string;
  status: 'finished' | 'cancelled';
}

export type RunStatus = 'running' | 'paused';

/** Answered by queries: counts, not lists. */
export interface ProgressCounts {
  status: RunStatus;
  total: number;
  done: number;
  running: number;
}
