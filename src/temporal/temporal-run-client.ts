import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { CancelledFailure } from '@temporalio/common';
import { LongrunError } from '../core/errors.js';
import { type Kept, KeptPerScope } from '../core/held/kept.js';
import { rolloutId, runWorkflowId } from '../core/ids.js';
import { MEMO_PAUSE_DETAIL, MEMO_PAUSED_BY, type PauseReason } from '../core/run/pause-reason.js';
import { runPriority } from '../core/run/pool-priority.js';
import { workflowQueue } from '../core/run/queues.js';
import type { SinkName } from '../core/run/serve-config.schema.js';
import type { PoolStanding, ProgressCounts, RunInput } from '../core/run/workflow-messages.js';
import { readClosedRun } from '../records/write-summary.js';
import { raiseIncarnation, readIncarnation } from '../store/incarnation.js';
import { keys } from '../store/keys.js';
import { mapBounded } from '../store/map-bounded.js';
import type { Plan } from '../store/records/records.schema.js';
import { plannedRollouts, readPlan, readRun } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';
import type { RunClient, RunProgress } from './run-client.js';
import { workflowIdOfRun } from './run-workflow.js';
import { searchAttributeKeys } from './search-attributes.js';
import { terminateRun } from './terminate-run.js';

/** `RunClient` over a Temporal cluster; counts come from the store. */
export class TemporalRunClient implements RunClient {
  private readonly sealed = new KeptPerScope<Set<string>>();
  private readonly workflowIds = new KeptPerScope<string>();
  readonly kept: Record<'sealedRollouts' | 'workflowIds', Kept> = {
    sealedRollouts: this.sealed,
    workflowIds: this.workflowIds,
  };

  constructor(
    private readonly client: Client,
    private readonly store: ArtifactStore,
    private readonly now: () => number,
  ) {}

  async start(runId: string): Promise<void> {
    if ((await readClosedRun(this.store, runId)) !== null) return;
    const incarnation = await readIncarnation(this.store, runId);
    const input: RunInput = { runId, incarnation };
    const { mode, config } = await readRun(this.store, runId);
    try {
      await this.client.workflow.start(mode, {
        workflowId: runWorkflowId(mode, runId),
        taskQueue: workflowQueue(),
        args: [input],
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        workflowIdReusePolicy:
          incarnation > 1 ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE,
        priority: runPriority(runId, config),
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
      await (await this.handle(runId)).result();
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
    if (closed) {
      await this.sealed.letGo(runId);
      const done = total - closed.summary.nOpen;
      return { runId, status: closed.status, reason: null, total, done, running: 0 };
    }
    const done = await this.countResults(runId, plan);
    const standing = await this.standing(runId);
    return standing === null ? null : { runId, ...standing, total, done, running: 0 };
  }

  /** What is sealed stays so: each result is looked for until it is there, and then never again. */
  private async countResults(runId: string, plan: Plan): Promise<number> {
    const sealed = this.sealed.of(runId, () => new Set<string>());
    const open = [...plannedRollouts(runId, plan)].filter((key) => !sealed.has(rolloutId(key)));
    const results = mapBounded(open, (key) => this.store.has(keys.result(key)));
    for await (const { item, result: isSealed } of results) if (isSealed) sealed.add(rolloutId(item));
    return sealed.size;
  }

  private async standing(runId: string): Promise<Pick<RunProgress, 'status' | 'reason' | 'detail'> | null> {
    const handle = await this.handle(runId);
    let noted: PauseReason | null = null;
    let detail: string | null = null;
    try {
      const { status, memo } = await handle.describe();
      noted = (memo?.[MEMO_PAUSED_BY] as PauseReason | null | undefined) ?? null;
      detail = (memo?.[MEMO_PAUSE_DETAIL] as string | null | undefined) ?? null;
      if (status.name === 'CANCELLED') return { status: 'cancelled', reason: null };
      if (status.name !== 'RUNNING')
        return { status: status.name === 'COMPLETED' ? 'finished' : 'failed', reason: null };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    }
    // A query needs a worker; without one the run is open all the same, and the server would wait for half a minute.
    const ask = () => handle.query<ProgressCounts>('progress');
    const counts = await this.client.withDeadline(Date.now() + QUERY_LIMIT_MS, ask).catch(() => null);
    if (counts === null) return { status: noted === null ? 'running' : 'paused', reason: noted, detail };
    return { status: counts.status, reason: counts.reason ?? null, detail: counts.detail ?? null };
  }

  async pause(runId: string, reason: PauseReason = 'person'): Promise<void> {
    await (await this.handle(runId)).signal('pause', reason);
  }

  async resume(runId: string): Promise<void> {
    await (await this.handle(runId)).signal('resume');
  }

  async cancel(runId: string): Promise<void> {
    await (await this.handle(runId)).cancel();
  }

  async setConcurrency(runId: string, concurrency: number): Promise<void> {
    await (await this.handle(runId)).signal('concurrency', concurrency);
  }

  async amend(runId: string, { priority, weight }: PoolStanding, raised: boolean): Promise<void> {
    await (await this.handle(runId)).signal('amended', { priority, weight }, raised);
  }

  async allow(runId: string, sink: SinkName, limit: number): Promise<void> {
    await (await this.handle(runId)).signal('allowance', sink, limit);
  }

  async finish(runId: string): Promise<void> {
    await (await this.handle(runId)).signal('finish');
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

  private async handle(runId: string): Promise<WorkflowHandle> {
    const known = this.workflowIds.get(runId) ?? (await workflowIdOfRun(this.store, runId));
    this.workflowIds.set(runId, known);
    return this.client.workflow.getHandle(known);
  }
}

/** A worker that is at work answers within this. */
const QUERY_LIMIT_MS = 5_000;
/** A worker's long poll lasts a minute at most. */
const POLLER_FRESH_MS = 70_000;

export function createRunClient(
  client: Client,
  store: ArtifactStore,
  now: () => number = Date.now,
): TemporalRunClient {
  return new TemporalRunClient(client, store, now);
}
