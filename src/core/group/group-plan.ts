import { LongrunError } from '../errors.js';

/** One group of a run: `index` counts those of its task from 0. */
export interface GroupRef {
  taskId: string;
  index: number;
}

interface PlannedTask {
  taskId: string;
  samples: number;
}

/**
 * How many samples each task gets so that the run has `groups` groups of `size`: tasks in turn, so that no
 * task has two more than another; null = one group per task. Tasks without a group are left out.
 */
export function planGroups(taskIds: readonly string[], groups: number | null, size: number): PlannedTask[] {
  const total = groups ?? taskIds.length;
  const rounds = Math.floor(total / taskIds.length);
  const rest = total % taskIds.length;
  return taskIds
    .map((taskId, i) => ({ taskId, samples: (rounds + (i < rest ? 1 : 0)) * size }))
    .filter(({ samples }) => samples > 0);
}

/** The groups of a plan in the order in which they are worked off: the first of each task, then the second. */
export function groupsOf(tasks: readonly PlannedTask[], size: number): GroupRef[] {
  const counts = tasks.map(({ taskId, samples }) => {
    if (samples % size !== 0)
      throw new LongrunError('internal', `${samples} samples of ${taskId} are no groups of ${size}`);
    return samples / size;
  });
  const groups: GroupRef[] = [];
  const rounds = counts.reduce((most, count) => Math.max(most, count), 0);
  for (let index = 0; index < rounds; index++)
    for (const [i, { taskId }] of tasks.entries())
      if (index < (counts[i] as number)) groups.push({ taskId, index });
  return groups;
}

/** The samples of a group: [index·size, (index + 1)·size). */
export function samplesOf(index: number, size: number): number[] {
  return Array.from({ length: size }, (_, i) => index * size + i);
}

/** The group that a sample belongs to. */
export const groupIndexOf = (sample: number, size: number): number => Math.floor(sample / size);

/** The n-th group of a run that serves, from 0: tasks in turn, for as long as it goes on. */
export function groupAt(taskIds: readonly string[], n: number): GroupRef {
  return { taskId: taskIds[n % taskIds.length] as string, index: Math.floor(n / taskIds.length) };
}

/** The other way round; made once for all groups that are asked about. */
export function sequenceNumbers(taskIds: readonly string[]): (group: GroupRef) => number {
  const places = new Map(taskIds.map((taskId, place) => [taskId, place]));
  return ({ taskId, index }) => {
    const place = places.get(taskId);
    if (place === undefined) throw new LongrunError('internal', `the sequence has no task ${taskId}`);
    return index * taskIds.length + place;
  };
}
