import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { groupWorkflowId, partitionWorkflowId, rolloutWorkflowId, runWorkflowId } from '../core/ids.js';
import { partitionCount } from '../core/run/partitioning.js';
import { plannedGroups, readGroup } from '../store/groups.js';
import type { RunRecord } from '../store/records/records.schema.js';
import { plannedRollouts, readPlan, readResult, readRun } from '../store/runs.js';
import { shiftLog } from '../store/shifts.js';
import type { ArtifactStore } from '../store/store.js';

const REASON = 'superseded by runs recover';

/**
 * Ends whatever workflows of a run are still open, parents first, so that no parent reacts to its
 * children's end. Ids come from the plan, not from a search: the index may be gone or behind.
 */
export async function terminateRun(client: Client, store: ArtifactStore, runId: string): Promise<void> {
  const run = await readRun(store, runId);
  await terminate(client, runWorkflowId(run.mode, runId));
  const partitions = await countPartitions(store, run);
  for (let index = 0; index < partitions; index++) await terminate(client, partitionWorkflowId(runId, index));
  // Read only now: a run that serves comes to more while its shifts are open.
  const plan = await readPlan(store, runId);
  for (const group of plannedGroups(run, plan)) {
    if ((await readGroup(store, group)) === null) await terminate(client, groupWorkflowId(group));
  }
  for (const rollout of plannedRollouts(runId, plan)) {
    if ((await readResult(store, rollout)) === null) await terminate(client, rolloutWorkflowId(rollout));
  }
}

/** Of shifts, one more than have a record: it may just have been started. */
async function countPartitions(store: ArtifactStore, { runId, config }: RunRecord): Promise<number> {
  if (config.serve !== null) return (await shiftLog(store, runId).length()) + 1;
  return partitionCount((await readPlan(store, runId)).tasks, config.groupSize);
}

async function terminate(client: Client, workflowId: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).terminate(REASON);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
