import type { BudgetScope, BudgetStop, Ceiling } from '../budget/budget.js';
import type { BudgetSharesState } from '../budget/budget-shares.js';
import type { GroupTerms } from '../group/group-board.js';
import type { AttemptKey, GroupKey, ReplayRef, RolloutKey } from '../ids.js';
import type { Failure, StopReason } from '../rollout/outcome.js';
import type { PauseReason } from './pause-reason.js';
import type { SinkName } from './serve-config.schema.js';

/**
 * What workflows and activities hand each other. Everything here enters Temporal's history:
 * one small object each, references instead of contents, fields only ever added.
 */

/** Of a run of any mode. */
export interface RunInput {
  runId: string;
  /** Raised by `runs recover`; part of every fence. */
  incarnation: number;
  /** What continue-as-new carries over. */
  carried?: {
    paused: boolean;
    done: number;
    nextPartition: number;
    concurrency: number;
    reason?: PauseReason | null;
    /** Groups without a score in a row. */
    dead?: number;
    detail?: string;
    serve?: ServeState;
  };
}

export interface OpenRunInput {
  runId: string;
  incarnation: number;
  /** It goes on after continue-as-new. */
  continued?: true;
}

/** How a run is worked off; read from the store once, at its start. */
export interface RunOpening {
  finished: boolean;
  total: number;
  concurrency: number;
  /** Of an endless sequence the largest whole number. */
  partitions: number;
  policy: RolloutPolicy;
  /** Its rollouts are in groups; absent = they stand alone. */
  groups?: true;
  /** So many groups in a row without a score pause it; absent = never. */
  deadGroups?: number;
  /** Rollouts that had ended when the run was opened, where its first partitions are not opened again. */
  done?: number;
  /** Only of a run that serves: its partitions are shifts. */
  serve?: ServeOpening;
}

/** How the sequence of groups of a run that serves is cut into shifts. */
export interface ServeOpening {
  sinks: SinkName[];
  /** The host of those sinks that are bound to one. */
  hostId: string | null;
  groupSize: number;
  groupsPerShift: number;
  /** Groups of the whole sequence; null = it is endless. */
  groups: number | null;
  /** Groups of the shifts that earlier workflows have opened. */
  opened: number;
  /** The first shift that has an open group. */
  first: number;
  /** It continues as new after so many. */
  shiftsPerHistory: number;
}

/** What a run that serves was told, as far as it outlives its history. */
export interface ServeState {
  limits: Partial<Record<SinkName, number>>;
  /** Nothing new is started. */
  finishing: boolean;
}

/** What a shift may start. */
export interface ShiftOrders {
  /** Groups of the sequence with a lower number. */
  limit: number;
  /** Nothing at all that has not begun: what runs ends, and the shift with it. */
  finishing: boolean;
}

export interface RolloutPolicy extends Partial<PoolStanding> {
  poolQueue: string;
  maxAttempts: number;
  /** Backstop for one step of the agent, in ms: ends as infrastructure. The agent's own clock is in the records. */
  backstopMs: number;
  /** A host that takes no work for so long, twice in a row, is lost; null with a single host. */
  hostLossMs: number | null;
}

export interface PartitionInput {
  runId: string;
  incarnation: number;
  index: number;
  window: number;
  paused: boolean;
  policy: RolloutPolicy;
  /** The whole window of the run: as many members of a larger group run at once. Absent in old inputs. */
  concurrency?: number;
  /** Only of a shift. */
  orders?: ShiftOrders;
}

/** What of a partition has not ended: rollouts without a result or, in a run of groups, open groups. */
export interface PartitionOpening {
  /** Rollouts. */
  done: number;
  open: { taskId: string; samples: number[] }[];
  groups?: {
    size: number;
    /** `n`: its number in the sequence of a run that serves. */
    open: { taskId: string; index: number; n?: number }[];
    /** Of a shift: groups with a lower number have begun, and are carried on whatever its orders are. */
    begun?: number;
  };
}

export interface PartitionSummary {
  done: number;
}

export interface GroupInput extends GroupKey {
  incarnation: number;
  policy: RolloutPolicy;
  /** At most so many members at once. */
  atOnce: number;
}

/** What of a group has not ended; its terms are fixed with the run. */
export interface GroupOpening extends GroupTerms {
  /** Null while it is open. */
  closed: GroupDigest | null;
  /** Members without a result. */
  samples: number[];
  /** Some member has begun before. */
  begun: boolean;
}

/** What a group's parent learns of it; the record is in the store. */
export interface GroupDigest {
  valid: boolean;
  /** No member has a score. */
  dead: boolean;
}

export interface CloseGroupInput extends GroupKey {
  /** False: it was cancelled, and stays open when some member has no result. */
  whole: boolean;
}

export interface RolloutInput extends RolloutKey {
  incarnation: number;
  policy: RolloutPolicy;
  /** Its group is under way: it is placed before what is new. */
  urgent?: true;
  /** Makes the attempts of a replay instead of the rollout's own. */
  replay?: ReplayRef;
}

/** What a rollout's parent learns of it; the whole result is in the store. */
export interface RolloutDigest {
  sample: number;
  attempt: number;
  reward: number | null;
  stopReason: StopReason;
}

/** Which executor an activity is: the fence without Temporal's own attempt. */
export interface Executor {
  incarnation: number;
  slice: number;
}

export interface PlaceInput extends RolloutKey, Executor {
  maxAttempts: number;
  replay?: ReplayRef;
}

export type PlaceAnswer =
  | { kind: 'sealed'; digest: RolloutDigest }
  | {
      kind: 'placed';
      attempt: number;
      steps: number;
      hostQueue: string;
      controlQueue: string;
      /** When to ask whether its work should move; absent in answers of workers that did not know. */
      hostLoss?: { hostId: string; afterMs: number };
    }
  /** No call of it fits under a budget: it waits until somebody raises that. */
  | { kind: 'held'; hold: BudgetHold }
  /** Nothing to run on: the attempt ends here. */
  | { kind: 'failed'; attempt: number; stopReason: StopReason; failure: Failure };

/** Why a rollout that has not begun waits. */
export interface BudgetHold {
  scope: BudgetScope;
  stop: BudgetStop;
}

export interface StepInput extends AttemptKey, Executor {
  step: number;
}

export interface SliceAnswer {
  done: boolean;
  /** Cumulative over the attempt, recomputed from records: never increments. */
  turns: number;
  tokens: number;
  stopReason: StopReason | null;
  /** Its first call does not fit under a budget: nothing goes on until somebody raises that. */
  held?: BudgetHold;
}

export interface VerifyAnswer {
  reward: number | null;
  /** Whether the next step of a multi-step task may run. */
  goOn: boolean;
}

export interface FinalizeInput extends AttemptKey {
  incarnation: number;
  replay?: ReplayRef;
  maxAttempts: number;
  /** An end that no record tells of: placing failed, cancelled, host lost, backstop. */
  ended: { stopReason: StopReason; failure: Failure | null } | null;
}

export type FinalizeAnswer = { again: true; delayMs: number } | { again: false; digest: RolloutDigest };

export interface CloseRunInput {
  runId: string;
  status: 'finished' | 'cancelled';
}

export interface EndServingInput {
  runId: string;
  reason: ServedReason;
}

/** Why nothing more is started: all its groups were, the trainer needs no more, a person cancelled it. */
export type ServedReason = 'groups' | 'trainer' | 'cancelled';

/** One sink of a run of mode serve. */
export interface SinkInput {
  runId: string;
  /** Of the run: part of the claim that an executor of the sink makes. */
  incarnation: number;
  sink: SinkName;
  /** To a sink that takes its leave: the run was cancelled. */
  cancelled?: true;
}

export interface ReplayInput {
  runId: string;
  replayId: string;
  /** Counts the starts of the replay's workflow; part of every fence. */
  incarnation: number;
  /** What continue-as-new carries over. */
  carried?: { paused: boolean; done: number };
}

/** The members of a replay that have no result yet: a page of them. */
export interface ReplayOpening {
  total: number;
  open: { taskId: string; sample: number; nth: number }[];
  /** Whether more are open than are listed. */
  more: boolean;
  concurrency: number;
  policy: RolloutPolicy;
}

export interface CloseReplayInput {
  runId: string;
  replayId: string;
  status: 'finished' | 'cancelled';
}

export type RunStatus = 'running' | 'paused';

/** How a run stands beside others in the pool. */
export interface PoolStanding {
  /** 1 goes first, 5 last. */
  priority: number;
  /** Share of the pool among runs of the same priority. */
  weight: number;
}

/** Started by the first process that wants a share of a budget. */
export interface RunBudgetInput {
  ceiling: Ceiling;
  ceilingVersion: number;
  /** According to the records, when nobody held a share. */
  spentBefore: { tokens: number; costUsd: number };
  /** What continue-as-new carries over. */
  carried?: BudgetSharesState;
}

/** Answered by queries: counts, not lists. */
export interface ProgressCounts {
  /** Null while it runs. Left out by workflows of older versions. */
  reason?: PauseReason | null;
  /** More about the reason, in words; only where there is more. */
  detail?: string | null;
  status: RunStatus;
  total: number;
  done: number;
  running: number;
}
