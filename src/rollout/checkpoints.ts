import type { AttemptKey } from '../core/ids.js';

/** What an attempt, and then its group, goes through, in the words of the fault matrix. */
export const CHECKPOINT_PHASES = [
  'provisioning',
  'sampling',
  'command',
  'verification',
  'finalizing',
  'grouping',
] as const;

/**
 * Where a process can die in a phase: before anything was recorded, after the effect (a container,
 * an answer, a command's end, a verdict, a summary, advantages) but before its record, and after the record.
 */
export const CHECKPOINT_POINTS = ['before', 'effect', 'recorded'] as const;

export type Checkpoint = `${(typeof CHECKPOINT_PHASES)[number]}:${(typeof CHECKPOINT_POINTS)[number]}`;

/**
 * Told whenever an attempt passes a point at which a death must cost nothing but the step in the air; of a
 * group, with the attempt of its first member. Workers pass none; the fault tests kill their process in it.
 */
export type AtCheckpoint = (checkpoint: Checkpoint, key: AttemptKey) => void | Promise<void>;

export const PASS_ON: AtCheckpoint = () => undefined;
