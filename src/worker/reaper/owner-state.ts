import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import {
  type AttemptKey,
  type ReplayRef,
  type RolloutKey,
  replayRolloutWorkflowId,
  rolloutId,
  rolloutWorkflowId,
} from '../../core/ids.js';
import { MINUTE_MS } from '../../core/time.js';
import type { OwnerState } from '../../sandbox/reaper.js';
import { lastRecoveredAt } from '../../store/incarnation.js';
import { keys } from '../../store/keys.js';
import { readRecord } from '../../store/records/records.js';
import { replayClaimSchema } from '../../store/records/replay.schema.js';
import type { ArtifactStore } from '../../store/store.js';
import { workflowIdOfRun } from '../../temporal/run-workflow.js';

/** So long the sandboxes of a run that its cluster has forgotten wait for `runs recover`. */
export const RECOVERY_GRACE_MS = 10 * MINUTE_MS;

interface Found {
  state: OwnerState;
  startedAt: number;
}

const attemptName = (owner: AttemptKey): string => `${rolloutId(owner)}/${owner.attempt}`;

/** What becomes of the rollouts that sandboxes belong to, as far as cluster and store definitely know. */
export class OwnerStates {
  /** Of the last round and of this one. */
  private forgottenSince: ReadonlyMap<string, number> = new Map();
  private forgottenNow = new Map<string, number>();

  constructor(
    private readonly client: Client,
    private readonly store: ArtifactStore,
    private readonly now: () => number,
  ) {}

  /** How many rollouts wait for being recovered. */
  get waiting(): number {
    return new Set([...this.forgottenSince.keys(), ...this.forgottenNow.keys()]).size;
  }

  /** Between rounds over all sandboxes: a rollout that nobody asks about any more has none left. */
  roundEnded(): void {
    this.forgottenSince = this.forgottenNow;
    this.forgottenNow = new Map();
  }

  async of(owner: AttemptKey): Promise<OwnerState> {
    const state = await this.find(owner);
    if (state === 'unreachable') this.stillWaits(owner);
    return state;
  }

  private async find(owner: AttemptKey): Promise<OwnerState> {
    const replay = await this.replayOf(owner);
    if (replay === 'unreachable') return replay;
    if (replay !== null) return this.ofReplay(owner, replay);
    const found = await this.workflow(rolloutWorkflowId(owner));
    if (found.state === 'unreachable') return found.state;
    try {
      // A host that was given up and is back holds what nobody asked it to remove.
      if (found.state === 'open') return (await this.hasEnded(owner)) ? 'ended' : 'open';
      return (await this.isSettled(owner)) ? found.state : await this.unsettled(owner, found);
    } catch {
      return 'unreachable';
    }
  }

  /** Which replay an attempt belongs to; null = to the rollout itself. */
  private async replayOf(owner: AttemptKey): Promise<ReplayRef | null | 'unreachable'> {
    try {
      return await readRecord(this.store, replayClaimSchema, keys.replayClaim(owner));
    } catch {
      return 'unreachable';
    }
  }

  /** The run may be closed and the rollout sealed: what counts is the replay's own workflow. */
  private async ofReplay(owner: AttemptKey, replay: ReplayRef): Promise<OwnerState> {
    const { state } = await this.workflow(replayRolloutWorkflowId(owner, replay));
    if (state === 'unreachable') return state;
    try {
      if (await this.hasEnded(owner)) return state === 'open' ? 'ended' : state;
      if (state !== 'unknown') return state;
      const closed = await this.store.has(keys.replayClosed(owner.runId, replay.replayId));
      return closed ? state : this.forgotten(attemptName(owner));
    } catch {
      return 'unreachable';
    }
  }

  private hasEnded(attempt: AttemptKey): Promise<boolean> {
    return this.store.has(keys.attemptRecord(attempt));
  }

  /** Whether no later workflow could go on with it. */
  private async isSettled(owner: RolloutKey): Promise<boolean> {
    const [known, closed, sealed] = await Promise.all([
      this.store.has(keys.run(owner.runId)),
      this.store.has(keys.summary(owner.runId)),
      this.store.has(keys.result(owner)),
    ]);
    return !known || closed || sealed;
  }

  /** Recovering a run ends its old workflows, or finds none, and starts the new ones within the run's window. */
  private async unsettled(owner: RolloutKey, { state, startedAt }: Found): Promise<OwnerState> {
    const recoveredAt = await lastRecoveredAt(this.store, owner.runId);
    const superseded = state === 'unknown' || (recoveredAt !== null && startedAt < recoveredAt);
    if (!superseded) return state;
    if ((await this.workflow(await workflowIdOfRun(this.store, owner.runId))).state === 'open') return 'open';
    return this.forgotten(rolloutId(owner));
  }

  /** What its cluster does not know waits a while for whoever starts it anew. */
  private forgotten(name: string): OwnerState {
    const since = this.forgottenSince.get(name) ?? this.forgottenNow.get(name) ?? this.now();
    this.forgottenNow.set(name, since);
    return this.now() - since < RECOVERY_GRACE_MS ? 'unreachable' : 'unknown';
  }

  /** What could not be asked about now has waited since then all the same. */
  private stillWaits(owner: AttemptKey): void {
    for (const name of [rolloutId(owner), attemptName(owner)]) {
      const since = this.forgottenSince.get(name);
      if (since !== undefined) this.forgottenNow.set(name, since);
    }
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
