import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ShareAnswer, ShareRequest } from '../src/core/budget/budget-shares.js';
import type { EndpointReport, EndpointShare, EndpointView } from '../src/core/endpoint/messages.js';
import type { GroupRoom } from '../src/core/group/group-board.js';
import type { PauseReason } from '../src/core/run/pause-reason.js';
import type { SinkName } from '../src/core/run/serve-config.schema.js';
import type { PoolStanding, ProgressCounts, ShiftOrders } from '../src/core/run/workflow-messages.js';

/** Stop starting work; what runs stops at its next step. Sent to a run, which passes it on. Without a reason it is a person's. */
export const pauseSignal = defineSignal<[PauseReason?]>('pause');
export const resumeSignal = defineSignal('resume');
/** To a run: how many rollouts may be in flight. */
export const concurrencySignal = defineSignal<[number]>('concurrency');
/** To a run, whose limits were changed: how it stands in the pool now, and whether a budget was raised. */
export const amendedSignal = defineSignal<[PoolStanding, boolean]>('amended');
/** To a partition: how the rollouts that it starts from now on stand in the pool. */
export const standingSignal = defineSignal<[PoolStanding]>('standing');
/** To its parent, from a rollout that waits for its group's budget to be raised, or does no longer: its workflow id. */
export const heldSignal = defineSignal<[string, boolean]>('held');
/** To a partition: its share of the run's window and, where it has groups, the whole window. To a group: how many members at once. */
export const shareSignal = defineSignal<[number, number?]>('share');
/** To a partition, from a group: its workflow id, and what its members take. */
export const roomSignal = defineSignal<[string, GroupRoom]>('room');
/** To a run, from a partition: its index, and whether no member of a group that has ended has a score. Not every group with scores is told of. */
export const groupEndedSignal = defineSignal<[number, boolean]>('groupEnded');
/** To a run, from a partition with nothing left to start: its index, what it still has in flight, and how many wait for a budget. */
export const exhaustedSignal = defineSignal<[number, number, number?]>('exhausted');

/** To a run that serves, from a shift: the id of a group whose workflow has failed, and why. */
export const groupFailedSignal = defineSignal<[string, string]>('groupFailed');
/** To a run that serves, from a sink: groups with a lower number than this may be started, as far as it is concerned. */
export const allowanceSignal = defineSignal<[SinkName, number]>('allowance');
/** To the same: its trainer needs no more. Nothing new is started, what runs ends in order. */
export const finishSignal = defineSignal('finish');
/** To a shift, from its run: what it may start from now on. */
export const ordersSignal = defineSignal<[ShiftOrders]>('orders');

/** To the keeper of a budget, from a process that spends it. */
export const askBudgetUpdate = defineUpdate<ShareAnswer, [ShareRequest]>('askBudget');

/** To the keeper of an endpoint, from a process that makes calls to it: what it may do from now on. */
export const renewEndpointUpdate = defineUpdate<EndpointShare, [EndpointReport]>('renewEndpoint');
/** To the same, from a process that makes no more calls. */
export const leaveEndpointSignal =
  defineSignal<[Pick<EndpointReport, 'hostId' | 'process'>]>('leaveEndpoint');
export const endpointQuery = defineQuery<EndpointView>('endpoint');

export const progressQuery = defineQuery<ProgressCounts>('progress');
export const phaseQuery = defineQuery<{ phase: string; attempt: number; turns: number }>('phase');
