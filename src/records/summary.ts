import type { EndpointView } from '../core/endpoint/messages.js';
import type { PauseReason } from '../core/run/pause-reason.js';
import type { RolloutResult, RunRecord } from '../store/records/records.schema.js';
import type { Resolution } from '../store/records/replay.schema.js';
import type { Serving } from './serving.js';

export interface Estimate {
  /** Null when no task has k scored samples. */
  estimate: number | null;
  /** 95 %, clustered by task; null with fewer than two tasks. */
  interval: { low: number; high: number } | null;
  tasks: number;
  /** Tasks with fewer than k scored samples, left out. */
  tasksLeftOut: number;
}

/** What a run's results amount to. Always recomputed from the rollouts' results. */
export interface RunSummary {
  nRollouts: number;
  nScored: number;
  nInfrastructure: number;
  nCancelled: number;
  /** Rollouts without a result yet. */
  nOpen: number;
  nPassed: number;
  meanReward: number | null;
  /** Counts infrastructure failures as misses. */
  meanRewardWithFailures: number | null;
  passAt: Record<string, Estimate>;
  categories: {
    category: string;
    tasks: number;
    nScored: number;
    meanReward: number | null;
    passAt1: number | null;
  }[];
  stopReasons: Record<string, number>;
  usage: { promptTokens: number; cachedTokens: number; completionTokens: number };
  costUsd: number | null;
  suspectedTampering: number;
  scripted: boolean;
}

/** `runs show --json` and the end of `evaluate --json`, before it is turned into snake case. */
export interface RunDocument {
  run: RunRecord & {
    status: string;
    pauseReason: PauseReason | null;
    /** More about that, in words. */
    pauseDetail?: string | null | undefined;
    location: string;
  };
  summary: RunSummary;
  rollouts: RolloutResult[];
  /** Results of replays that do not count: beside a scored outcome, or not scored themselves. */
  replays?: RolloutResult[] | undefined;
  /** What people decided on rollouts whose attempt that counts needed review: the newest decision of each. */
  reviews?: { rolloutId: string; resolution: Resolution }[] | undefined;
  /** How the model's endpoint stands; absent when nobody calls it, or where no cluster tells. */
  endpoint?: EndpointView | undefined;
  /** How far a run that serves has come, and its sinks; absent in other modes. */
  serving?: Serving | undefined;
}
