import type { GroupKey, RolloutKey } from '../src/core/ids.js';
import type {
  CloseGroupInput,
  CloseReplayInput,
  CloseRunInput,
  EndServingInput,
  FinalizeAnswer,
  FinalizeInput,
  GroupDigest,
  GroupOpening,
  OpenRunInput,
  PartitionOpening,
  PlaceAnswer,
  ReplayInput,
  ReplayOpening,
  RunOpening,
} from '../src/core/run/workflow-messages.js';
import { closeGroup, openGroup } from '../src/rollout/books/group-book.js';
import { closeRun, openPartition, openRun } from '../src/rollout/books/run-book.js';
import { endServing } from '../src/rollout/books/serve-book.js';
import { finalizeAttempt } from '../src/rollout/finalize.js';
import { hasOtherHost } from '../src/rollout/other-hosts.js';
import { findPlacement } from '../src/rollout/place.js';
import { closeReplay, openReplay } from '../src/rollout/replay/replay-book.js';
import type { ActivityDeps } from './activity-deps.js';
import { withLifecycle } from './with-lifecycle.js';

export interface BookkeepingActivities {
  openRun(input: OpenRunInput): Promise<RunOpening>;
  openPartition(input: { runId: string; incarnation: number; index: number }): Promise<PartitionOpening>;
  /** The result of a rollout, or the sandbox that its open attempt has already; null when it has neither. */
  findPlacement(input: RolloutKey): Promise<PlaceAnswer | null>;
  /** Records an attempt's end and, unless a new attempt may help, the rollout's result. For every outcome. */
  finalizeRollout(input: FinalizeInput): Promise<FinalizeAnswer>;
  /** Of a run that serves: no group is started any more, and those that were have closed. */
  endServing(input: EndServingInput): Promise<void>;
  closeRun(input: CloseRunInput): Promise<void>;
  openGroup(input: GroupKey): Promise<GroupOpening>;
  /** Puts a group's record; null where it stays open because it was cancelled. */
  closeGroup(input: CloseGroupInput): Promise<GroupDigest | null>;
  openReplay(input: ReplayInput): Promise<ReplayOpening>;
  closeReplay(input: CloseReplayInput): Promise<void>;
  /** Whether a living host could take over what `hostId` does not work on. */
  hasOtherHost(input: { runId: string; hostId: string }): Promise<boolean>;
}

export function createBookkeepingActivities(deps: ActivityDeps): BookkeepingActivities {
  const run = <T>(work: () => Promise<T>) => withLifecycle(deps.shutdown, work);
  return {
    openRun: (input) => run(() => openRun(deps, input)),
    openPartition: ({ runId, index }) => run(() => openPartition(deps, runId, index)),
    findPlacement: (input) => run(() => findPlacement(deps, input)),
    finalizeRollout: (input) => run(() => finalizeAttempt(deps, input)),
    endServing: ({ runId, reason }) => run(() => endServing(deps, runId, reason)),
    closeRun: ({ runId, status }) => run(() => closeRun(deps, runId, status)),
    openGroup: (input) => run(() => openGroup(deps, input)),
    closeGroup: (input) => run(() => closeGroup(deps, input)),
    openReplay: ({ runId, replayId }) => run(() => openReplay(deps, runId, replayId)),
    closeReplay: ({ runId, replayId, status }) => run(() => closeReplay(deps, runId, replayId, status)),
    hasOtherHost: ({ runId, hostId }) => run(() => hasOtherHost(deps, runId, hostId)),
  };
}
