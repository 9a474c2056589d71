import {
  type Client,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { replayWorkflowId } from '../core/ids.js';
import { runPriority } from '../core/run/pool-priority.js';
import { workflowQueue } from '../core/run/queues.js';
import type { ReplayInput } from '../core/run/workflow-messages.js';
import { nextReplayStart, readClosedReplay } from '../store/replays.js';
import { readRun } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';
import { searchAttributeKeys } from './search-attributes.js';

/** As new work of runs. */
/** Replays of runs on a Temporal cluster. */
export class ReplayClient {
  constructor(
    private readonly client: Client,
    private readonly store: ArtifactStore,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Starts a replay's workflow, or finds the running one and takes it out of a pause: starting twice is
   * harmless. One whose workflow was lost or ended early starts anew and fences the old one off.
   */
  async start(runId: string, replayId: string): Promise<void> {
    if ((await readClosedReplay(this.store, runId, replayId)) !== null) return;
    if ((await this.state(runId, replayId)) === 'running')
      return this.handle(runId, replayId).signal('resume');
    const incarnation = await nextReplayStart(this.store, runId, replayId, this.now());
    const input: ReplayInput = { runId, replayId, incarnation };
    await this.client.workflow.start('replay', {
      workflowId: replayWorkflowId(runId, replayId),
      taskQueue: workflowQueue(),
      args: [input],
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      priority: runPriority(runId, (await readRun(this.store, runId)).config),
      typedSearchAttributes: [{ key: searchAttributeKeys.runId, value: runId }],
    });
  }

  /** `ended`: closed on this cluster, whatever the store says. */
  async state(runId: string, replayId: string): Promise<'running' | 'ended' | 'unknown'> {
    try {
      const { status } = await this.handle(runId, replayId).describe();
      return status.name === 'RUNNING' ? 'running' : 'ended';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return 'unknown';
      throw error;
    }
  }

  async pause(runId: string, replayId: string): Promise<void> {
    await this.handle(runId, replayId).signal('pause');
  }

  async cancel(runId: string, replayId: string): Promise<void> {
    await this.handle(runId, replayId).cancel();
  }

  private handle(runId: string, replayId: string) {
    return this.client.workflow.getHandle(replayWorkflowId(runId, replayId));
  }
}
