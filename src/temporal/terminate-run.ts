import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { groupWorkflowId, partitionWorkflowId, rolloutWorkflowId, runWorkflowId } from '../core/ids.js';
import { partitionCount } from '../core/partitioning.js';
import { plannedGroups, readGroup } from '../store/groups.js';
import { plannedRollouts, readPlan, readResult, readRun } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';

const REASON = 'superseded by runs recover';

/**
 * Ends whatever workflows of a run are still open, parents first, so that no parent reacts to its
 * children's end. Ids come from the plan, not from a search: the index may be gone or behind.
 */
export async function terminateRun(client: Client, store: ArtifactStore, runId: string): Promise<void> {
  const [run, plan] = await Promise.all([readRun(store, runId), readPlan(store, runId)]);
  await terminate(client, runWorkflowId(run.mode, runId));
  const partitions = partitionCount(plan.tasks, run.config.groupSize);
  for (let index = 0; index < partitions; index++) await terminate(client, partitionWorkflowId(runId, index));
  for (const group of plannedGroups(run, plan)) {
    if ((await readGroup(store, group)) === null) await terminate(client, groupWorkflowId(group));
  }
  for (const rollout of plannedRollouts(runId, plan)) {
    if ((await readResult(store, rollout)) === null) await terminate(client, rolloutWorkflowId(rollout));
  }
}

async function terminate(client: Client, workflowId: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).terminate(REASON);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
