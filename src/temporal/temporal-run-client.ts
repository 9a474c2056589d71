import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { LongrunError } from '../core/errors.js';
import { evaluateWorkflowId } from '../core/ids.js';
import { workflowQueue } from '../core/queues.js';
import type { EvaluateInput, ProgressCounts } from '../core/workflow-messages.js';
import { readClosedRun } from '../report/write-summary.js';
import { raiseIncarnation, readIncarnation } from '../store/incarnation.js';
import { iterateResults, readPlan } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';
import type { RunClient, RunProgress } from './run-client.js';
import { searchAttributeKeys } from './search-attributes.js';
import { terminateRun } from './terminate-run.js';

const NEW_WORK_PRIORITY = 3;

/** `RunClient` over a Temporal cluster; counts come from the store. */
export class TemporalRunClient implements RunClient {
  constructor(
    private readonly client: Client,
    private readonly store: ArtifactStore,
    private readonly now: () => number,
  ) {}

  async start(runId: string): Promise<void> {
    if ((await readClosedRun(this.store, runId)) !== null) return;
    const incarnation = await readIncarnation(this.store, runId);
    const input: EvaluateInput = { runId, incarnation };
    try {
      await this.client.workflow.start('evaluate', {
        workflowId: evaluateWorkflowId(runId),
        taskQueue: workflowQueue(),
        args: [input],
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        workflowIdReusePolicy:
          incarnation > 1 ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE,
        priority: { priorityKey: NEW_WORK_PRIORITY, fairnessKey: runId },
        typedSearchAttributes: [{ key: searchAttributeKeys.runId, value: runId }],
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      throw new LongrunError(
        'already_exists',
        `the workflow of run ${runId} has ended, but the run is not finished`,
        {
          hint: `carry it on with: longrun runs recover ${runId}`,
          cause: error,
        },
      );
    }
  }

  async wait(runId: string, signal: AbortSignal): Promise<'finished' | 'cancelled' | 'failed'> {
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    return Promise.race([this.outcome(runId), aborted]);
  }

  private async outcome(runId: string): Promise<'finished' | 'cancelled' | 'failed'> {
    const closed = await readClosedRun(this.store, runId);
    if (closed !== null) return closed.status;
    try {
      await this.handle(runId).result();
      return 'finished';
    } catch (error) {
      if (!(error instanceof WorkflowFailedError)) throw error;
      return error.cause instanceof CancelledFailure ? 'cancelled' : 'failed';
    }
  }

  async progress(runId: string): Promise<RunProgress | null> {
    const plan = await readPlan(this.store, runId);
    const total = plan.tasks.reduce((sum, task) => sum + task.samples, 0);
    const closed = await readClosedRun(this.store, runId);
    const done = closed ? total - closed.summary.nOpen : await this.countResults(runId, plan);
    if (closed) return { runId, status: closed.status, total, done, running: 0 };
    const status = await this.status(runId);
    return status === null ? null : { runId, status, total, done, running: 0 };
  }

  private async countResults(runId: string, plan: Awaited<ReturnType<typeof readPlan>>): Promise<number> {
    let done = 0;
    for await (const _ of iterateResults(this.store, runId, plan)) done += 1;
    return done;
  }

  private async status(runId: string): Promise<RunProgress['status'] | null> {
    try {
      const { status } = await this.handle(runId).describe();
      if (status.name === 'CANCELLED') return 'cancelled';
      if (status.name !== 'RUNNING') return status.name === 'COMPLETED' ? 'finished' : 'failed';
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    }
    // A query needs a worker; without one the run is open all the same.
    const counts = await this.handle(runId)
      .query<ProgressCounts>('progress')
      .catch(() => null);
    return counts?.status ?? 'running';
  }

  async pause(runId: string): Promise<void> {
    await this.handle(runId).signal('pause');
  }

  async resume(runId: string): Promise<void> {
    await this.handle(runId).signal('resume');
  }

  async cancel(runId: string): Promise<void> {
    await this.handle(runId).cancel();
  }

  async setConcurrency(runId: string, concurrency: number): Promise<void> {
    await this.handle(runId).signal('concurrency', concurrency);
  }

  async recover(runId: string): Promise<{ incarnation: number }> {
    if ((await readClosedRun(this.store, runId)) !== null) {
      throw new LongrunError('already_exists', `run ${runId} is closed: there is nothing to recover`, {
        hint: `look at it with: longrun runs show ${runId}`,
      });
    }
    // Raised first: whatever of the old workflows still acts is fenced off before it is ended.
    const incarnation = await raiseIncarnation(this.store, runId, this.now);
    await terminateRun(this.client, this.store, runId);
    await this.start(runId);
    return { incarnation };
  }

  async workers(): Promise<number> {
    const { pollers } = await this.client.workflowService.describeTaskQueue({
      namespace: this.client.options.namespace,
      taskQueue: { name: workflowQueue() },
      taskQueueType: 1,
    });
    const recent = this.now() - POLLER_FRESH_MS;
    return (pollers ?? []).filter((poller) => Number(poller.lastAccessTime?.seconds ?? 0) * 1000 >= recent)
      .length;
  }

  private handle(runId: string) {
    return this.client.workflow.getHandle(evaluateWorkflowId(runId));
  }
}

/** A worker's long poll lasts a minute at most. */
const POLLER_FRESH_MS = 70_000;

export function createRunClient(
  client: Client,
  store: ArtifactStore,
  now: () => number = Date.now,
): RunClient {
  return new TemporalRunClient(client, store, now);
}
