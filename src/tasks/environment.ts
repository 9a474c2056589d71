import type { SandboxSpec, Task } from '../core/rollout/task.schema.js';
import type { Verdict } from '../store/records/records.schema.js';
import type { RewardContext } from './reward-context.js';

/** A task with the bytes of the blobs it names, as loaded from where the benchmark lives. */
export interface LoadedTask {
  task: Task;
  /** By sha256: the tar, made when asked for. */
  blobs: ReadonlyMap<string, () => Promise<Uint8Array>>;
}

/**
 * A benchmark: what is the next item, how does it become a message, where do tools run,
 * how is it scored? Workflows know nothing else of tasks.
 */
export interface Environment {
  readonly name: string;
  /** Where it was loaded from: a folder, or `builtin`. */
  readonly source: string;
  /** Success is reward >= this, unless `--pass-threshold` says otherwise. */
  readonly passThreshold: number;
  /** Names of the tools of the tool-calling agent that this environment offers. */
  readonly tools: readonly string[];
  /** Tasks in a stable order, after `cursor` (a task id; null = from the start). Throws `task_invalid`. */
  items(cursor: string | null): AsyncIterable<LoadedTask>;
  formatPrompt(task: Task, step: number): string;
  sandbox(task: Task): SandboxSpec;
  /** Scores one step. Throws only for failures of ours; a broken verifier is a verdict without reward. */
  computeReward(task: Task, step: number, context: RewardContext): Promise<Verdict>;
}
