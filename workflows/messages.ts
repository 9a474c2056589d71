import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { ProgressCounts } from '../src/core/workflow-messages.js';

/** Stop starting work; what runs stops at its next step. Sent to a run, which passes it on. */
export const pauseSignal = defineSignal('pause');
export const resumeSignal = defineSignal('resume');
/** To a run: how many rollouts may be in flight. */
export const concurrencySignal = defineSignal<[number]>('concurrency');
/** To a partition: its share of the run's window. */
export const shareSignal = defineSignal<[number]>('share');
/** To a run, from a partition with nothing left to start: its index and what it still has in flight. */
export const exhaustedSignal = defineSignal<[number, number]>('exhausted');

export const progressQuery = defineQuery<ProgressCounts>('progress');
export const phaseQuery = defineQuery<{ phase: string; attempt: number; turns: number }>('phase');
