import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { evaluateWorkflowId, type RolloutKey, rolloutId, rolloutWorkflowId } from '../core/ids.js';
import { MINUTE_MS } from '../core/time.js';
import type { OwnerState } from '../sandbox/reaper.js';
import { lastRecoveredAt } from '../store/incarnation.js';
import { keys } from '../store/keys.js';
import type { ArtifactStore } from '../store/store.js';

/** So long the sandboxes of a run that its cluster has forgotten wait for `runs recover`. */
export const RECOVERY_GRACE_MS = 10 * MINUTE_MS;

interface Found {
  state: OwnerState;
  startedAt: number;
}

/** What becomes of the rollouts that sandboxes belong to, as far as cluster and store definitely know. */
export class OwnerStates {
  private readonly forgottenSince = new Map<string, number>();

  constructor(
    private readonly client: Client,
    private readonly store: ArtifactStore,
    private readonly now: () => number,
  ) {}

  async of(owner: RolloutKey): Promise<OwnerState> {
    const found = await this.workflow(rolloutWorkflowId(owner));
    if (found.state === 'open' || found.state === 'unreachable') return found.state;
    try {
      return (await this.isSettled(owner)) ? found.state : await this.unsettled(owner, found);
    } catch {
      return 'unreachable';
    }
  }

  /** Whether no later workflow could go on with it. */
  private async isSettled(owner: RolloutKey): Promise<boolean> {
    const [run, summary, result] = await Promise.all([
      this.store.get(keys.run(owner.runId)),
      this.store.get(keys.summary(owner.runId)),
      this.store.get(keys.result(owner)),
    ]);
    return run === null || summary !== null || result !== null;
  }

  /** Recovering a run ends its old workflows, or finds none, and starts the new ones within the run's window. */
  private async unsettled(owner: RolloutKey, { state, startedAt }: Found): Promise<OwnerState> {
    const recoveredAt = await lastRecoveredAt(this.store, owner.runId);
    const superseded = state === 'unknown' || (recoveredAt !== null && startedAt < recoveredAt);
    if (!superseded) return state;
    if ((await this.workflow(evaluateWorkflowId(owner.runId))).state === 'open') return 'open';
    const name = rolloutId(owner);
    const since = this.forgottenSince.get(name) ?? this.now();
    this.forgottenSince.set(name, since);
    return this.now() - since < RECOVERY_GRACE_MS ? 'unreachable' : 'unknown';
  }

  private async workflow(workflowId: string): Promise<Found> {
    try {
      const { status, startTime } = await this.client.workflow.getHandle(workflowId).describe();
      return { state: status.name === 'RUNNING' ? 'open' : 'closed', startedAt: startTime.getTime() };
    } catch (error) {
      const state = error instanceof WorkflowNotFoundError ? 'unknown' : 'unreachable';
      return { state, startedAt: 0 };
    }
  }
}
