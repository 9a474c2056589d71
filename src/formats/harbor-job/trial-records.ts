import type { ChatMessage, ToolSchema } from '../../core/model/messages.js';
import type { Task } from '../../core/rollout/task.schema.js';
import type { AttemptRecord, RolloutResult, RunRecord, Verdict } from '../../store/records/records.schema.js';
import type { RecordedTurn } from '../trajectory.js';

/** One step of the attempt that counts. `verdict` is null where the step was not verified. */
export interface TrialStep {
  name: string;
  prompt: readonly ChatMessage[];
  tools: readonly ToolSchema[];
  turns: readonly RecordedTurn[];
  /** As in `RecordedStep`. */
  corrections?: readonly (readonly ChatMessage[])[];
  verdict: Verdict | null;
}

/** Everything recorded of one rollout, which Harbor calls a trial. */
export interface TrialRecords {
  task: Task;
  result: RolloutResult;
  attempts: readonly AttemptRecord[];
  /** Only the steps that were reached. */
  steps: readonly TrialStep[];
}

/** What all trials of a job share. */
export interface HarborJob {
  run: RunRecord;
  /** The folder that holds the jobs, as a `file:` URL without a trailing slash. */
  jobsUrl: string;
  jobsDir: string;
  /** A UUID that is always the same for the same name, so that writing a job again changes nothing. */
  uuidOf: (name: string) => string;
}

/** Folder name of a trial: unique in its job and readable. */
export function trialName(result: RolloutResult): string {
  return `${result.taskId}__${result.sample}`;
}

/** `2026-01-02T03:04:05.678Z`, as in Harbor's trial results. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Harbor's job times carry no zone, and its viewer cannot sort both kinds: ours are UTC without the `Z`. */
export function jobTime(epochMs: number): string {
  return isoTime(epochMs).slice(0, -1);
}
