import { ROLLOUT_MARKS, rolloutMark } from '../../report/rollout-mark.js';
import type { RolloutResult } from '../../store/records/records.schema.js';

/** Where one rollout is, as a reader of the store can tell. */
export const MARKS = [
  'waiting',
  'starting',
  'agent',
  'verifying',
  'passed',
  'partly',
  'failed',
  'infrastructure',
  'unscored',
  'cancelled',
] as const;
export type Mark = (typeof MARKS)[number];

/** A moment of a run, as live views and the dashboard show it. */
export interface RunView {
  runId: string;
  /** Environment, model and agent, for a heading. */
  title: string;
  status: 'starting' | 'running' | 'paused' | 'draining' | 'cancelled' | 'finished' | 'failed' | 'budget';
  /** Why it is paused, in words; null while it is not, or where a person has paused it. */
  pauseNote?: string | null;
  elapsedMs: number;
  tasks: { taskId: string; marks: Mark[] }[];
  counts: Record<Mark, number>;
  total: number;
  done: number;
  turns: number;
  /** Over the last half minute; null until there is something to divide. */
  turnsPerSecond: number | null;
  tokens: number;
  /** Null when no price is known. */
  costUsd: number | null;
  /** Estimated from the rollouts finished so far; null while that says nothing. */
  msLeft: number | null;
  /** The newest infrastructure failure, in words from outside: escape before printing. */
  trouble: string | null;
  /** Of a run that serves: shifts, groups, and a line per sink; escaped. */
  serving?: string[];
}

/** How a result is shown: scored by the run's threshold, infrastructure failures apart. */
export function markOf(result: RolloutResult, passThreshold: number): Mark {
  const found = rolloutMark(result, passThreshold);
  const names = Object.keys(ROLLOUT_MARKS) as (keyof typeof ROLLOUT_MARKS)[];
  return names.find((name) => ROLLOUT_MARKS[name] === found) ?? 'failed';
}

export const isDone = (mark: Mark): boolean => MARKS.indexOf(mark) >= MARKS.indexOf('passed');

/** Counts of marks over all tasks. */
export function countMarks(tasks: RunView['tasks']): Record<Mark, number> {
  const counts = Object.fromEntries(MARKS.map((mark) => [mark, 0])) as Record<Mark, number>;
  for (const { marks } of tasks) for (const mark of marks) counts[mark] += 1;
  return counts;
}

export const countDone = (counts: Record<Mark, number>): number =>
  MARKS.reduce((sum, mark) => sum + (isDone(mark) ? counts[mark] : 0), 0);
