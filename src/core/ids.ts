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

/** The id users see and type: `<runId>/<taskId>/<sample>`. */
export function rolloutId(key: RolloutKey): string {
  return `${key.runId}/${key.taskId}/${key.sample}`;
}

/** Splits a rollout id; null when it is not one. Task ids hold no slash. */
export function parseRolloutId(id: string): RolloutKey | null {
  const match = /^([^/]+)\/([^/]+)\/(\d+)$/.exec(id);
  if (!match) return null;
  return { runId: match[1] as string, taskId: match[2] as string, sample: Number(match[3]) };
}

/** Ids that become file names, labels and workflow ids. */
export const ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

export const evaluateWorkflowId = (runId: string): string => `evaluate/${runId}`;
export const partitionWorkflowId = (runId: string, index: number): string => `partition/${runId}/${index}`;
export const rolloutWorkflowId = (key: RolloutKey): string => `rollout/${rolloutId(key)}`;
