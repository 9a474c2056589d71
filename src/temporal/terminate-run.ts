import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { evaluateWorkflowId, partitionWorkflowId, rolloutWorkflowId } from '../core/ids.js';
import { partitionsOf } from '../core/partitioning.js';
import { plannedRollouts, readPlan, readResult } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';

const REASON = 'superseded by runs recover';

/**
 * Ends whatever workflows of a run are still open, parents first, so that no parent reacts to its
 * children's end. Ids come from the plan, not from a search: the index may be gone or behind.
 */
export async function terminateRun(client: Client, store: ArtifactStore, runId: string): Promise<void> {
  const plan = await readPlan(store, runId);
  await terminate(client, evaluateWorkflowId(runId));
  for (const index of partitionsOf(plan.tasks).keys())
    await terminate(client, partitionWorkflowId(runId, index));
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
