/**
 * Who may act for an attempt: the value put in the store at the start of a slice.
 * Several executors on one sandbox are routine (a frozen process, a partition), so every
 * effect is preceded by the question whether a higher fence exists.
 */
export interface Fence {
  /** Raised by `runs recover`, which starts the workflows of a run anew. */
  incarnation: number;
  /** Counts the activities of a rollout workflow that may act on the attempt. */
  slice: number;
  /** Temporal's attempt at that activity. */
  activityAttempt: number;
}

/** Negative when `a` is the lower (older) fence. */
export function compareFences(a: Fence, b: Fence): number {
  return a.incarnation - b.incarnation || a.slice - b.slice || a.activityAttempt - b.activityAttempt;
}

const WIDTH = 8;

/** Above every executor of an incarnation: an attempt whose end is recorded has none any more. */
export function closingFence(incarnation: number): Fence {
  return { incarnation, slice: 10 ** WIDTH - 1, activityAttempt: 0 };
}

const pad = (n: number): string => String(n).padStart(WIDTH, '0');

/** File-name form that sorts as the fences do. */
export function fenceName(fence: Fence): string {
  return `${pad(fence.incarnation)}-${pad(fence.slice)}-${pad(fence.activityAttempt)}`;
}

export function parseFenceName(name: string): Fence | null {
  const match = /^(\d{8})-(\d{8})-(\d{8})$/.exec(name);
  if (!match) return null;
  return { incarnation: Number(match[1]), slice: Number(match[2]), activityAttempt: Number(match[3]) };
}
