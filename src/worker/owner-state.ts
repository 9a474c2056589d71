import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { rolloutWorkflowId } from '../core/ids.js';
import type { OwnerState } from '../sandbox/reaper.js';
import type { SandboxOwner } from '../sandbox/sandbox.js';

/** What the cluster definitely knows of the rollout a sandbox belongs to. */
export async function ownerState(client: Client, owner: SandboxOwner): Promise<OwnerState> {
  try {
    const { status } = await client.workflow.getHandle(rolloutWorkflowId(owner)).describe();
    return status.name === 'RUNNING' ? 'open' : 'closed';
  } catch (error) {
    return error instanceof WorkflowNotFoundError ? 'unknown' : 'unreachable';
  }
}
