/** Names one rollout: one sample of one task in one run. `sample` counts from 0. */
export interface RolloutKey {
  runId: string;
  taskId: string;
  sample: number;
}

/** Names one try at a rollout. `attempt` counts from 1. */
export interface AttemptKey extends RolloutKey {
  attempt: number;
}

/** Names one new attempt series of a replay: `nth` counts those of the same rollout from 1. */
export interface ReplayRef {
  replayId: string;
  nth: number;
}

/** Names one group: some samples of one task that share a baseline. `index` counts those of the task from 0. */
export interface GroupKey {
  runId: string;
  taskId: string;
  index: number;
}

/** The id users see and type: `<runId>/<taskId>/<sample>`. */
export function rolloutId(key: RolloutKey): string {
  return `${key.runId}/${key.taskId}/${key.sample}`;
}

/** Ids that become file names, labels and workflow ids. */
export const ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const SAMPLE_PATTERN = /^(0|[1-9]\d{0,8})$/;

/** Splits a rollout id; null when it is not one, so that what a user types never names another place. */
export function parseRolloutId(id: string): RolloutKey | null {
  const [runId = '', taskId = '', sample = '', ...rest] = id.split('/');
  const fits = ID_PATTERN.test(runId) && ID_PATTERN.test(taskId) && SAMPLE_PATTERN.test(sample);
  return fits && rest.length === 0 ? { runId, taskId, sample: Number(sample) } : null;
}

export const groupId = ({ runId, taskId, index }: GroupKey): string => `${runId}/${taskId}/${index}`;

export const RUN_MODES = ['evaluate', 'process', 'serve'] as const;
export type RunMode = (typeof RUN_MODES)[number];

export const runWorkflowId = (mode: RunMode, runId: string): string => `${mode}/${runId}`;
export const evaluateWorkflowId = (runId: string): string => runWorkflowId('evaluate', runId);
export const groupWorkflowId = (key: GroupKey): string => `group/${groupId(key)}`;
export const partitionWorkflowId = (runId: string, index: number): string => `partition/${runId}/${index}`;
export const rolloutWorkflowId = (key: RolloutKey): string => `rollout/${rolloutId(key)}`;
export const replayWorkflowId = (runId: string, replayId: string): string => `replay/${runId}/${replayId}`;
export const replayRolloutWorkflowId = (key: RolloutKey, { replayId, nth }: ReplayRef): string =>
  `rollout/${rolloutId(key)}/replay/${replayId}/${nth}`;

/** Names a budget that processes share: a run's, or that of one task's rollouts in it. */
export interface BudgetName {
  runId: string;
  taskId: string | null;
}

export const budgetId = ({ runId, taskId }: BudgetName): string =>
  taskId === null ? runId : `${runId}/${taskId}`;
/** A run, and the rollouts of one task in it, as far as what a workflow with this id does is work of theirs. */
export function scopesOfWorkflow(workflowId: string): string[] {
  const [kind = '', runId, taskId] = workflowId.split('/');
  if (runId === undefined || !RUN_WORK.has(kind)) return [];
  return TASK_WORK.has(kind) && taskId !== undefined ? [runId, budgetId({ runId, taskId })] : [runId];
}

const TASK_WORK: ReadonlySet<string> = new Set(['group', 'rollout']);
const RUN_WORK: ReadonlySet<string> = new Set([...RUN_MODES, 'partition', 'replay', ...TASK_WORK]);

export const budgetWorkflowId = (budget: BudgetName): string => `budget/${budgetId(budget)}`;
