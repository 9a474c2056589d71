import type { RolloutResult, RunRecord } from '../store/records.schema.js';

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
  run: RunRecord & { status: string; location: string };
  summary: RunSummary;
  rollouts: RolloutResult[];
}
