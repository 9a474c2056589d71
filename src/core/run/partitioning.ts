import { type GroupRef, groupsOf } from '../group/group-plan.js';

/** Some samples of one task: part of a partition. Samples count from 0; `to` is exclusive. */
export interface PartitionMember {
  taskId: string;
  from: number;
  to: number;
}

export const PARTITION_ROLLOUTS = 300;
/** What a partition's list of rollouts may take in Temporal's history. */
const PARTITION_BYTES = 12_000;
const BYTES_PER_MEMBER = 40;
const BYTES_PER_SAMPLE = 5;

/**
 * Cuts a plan into partitions: in order, at most 300 rollouts and about 12 KB each. Pure and
 * stable, so that every process that reads the plan finds the same partitions.
 */
export function partitionsOf(tasks: readonly { taskId: string; samples: number }[]): PartitionMember[][] {
  const partitions: PartitionMember[][] = [];
  let current: PartitionMember[] = [];
  let rollouts = 0;
  let bytes = 0;
  const close = () => {
    if (current.length > 0) partitions.push(current);
    current = [];
    rollouts = 0;
    bytes = 0;
  };
  for (const { taskId, samples } of tasks) {
    for (let from = 0; from < samples; ) {
      const head = taskId.length + BYTES_PER_MEMBER;
      if (rollouts >= PARTITION_ROLLOUTS || bytes + head + BYTES_PER_SAMPLE > PARTITION_BYTES) close();
      const fits = Math.max(1, Math.floor((PARTITION_BYTES - bytes - head) / BYTES_PER_SAMPLE));
      const to = Math.min(samples, from + Math.min(PARTITION_ROLLOUTS - rollouts, fits));
      current.push({ taskId, from, to });
      rollouts += to - from;
      bytes += head + BYTES_PER_SAMPLE * (to - from);
      from = to;
    }
  }
  close();
  return partitions;
}

/** As the list of a partition's groups names each of them in JSON. */
const BYTES_PER_GROUP = 40;

/**
 * Cuts a plan of groups into partitions: in the order in which groups are worked off, only at their borders,
 * at most 300 rollouts (or one group, where that is larger) and about 12 KB each.
 */
export function groupPartitionsOf(
  tasks: readonly { taskId: string; samples: number }[],
  size: number,
): GroupRef[][] {
  const most = Math.max(1, Math.floor(PARTITION_ROLLOUTS / size));
  const partitions: GroupRef[][] = [];
  let current: GroupRef[] = [];
  let bytes = 0;
  for (const group of groupsOf(tasks, size)) {
    const own = group.taskId.length + BYTES_PER_GROUP;
    if (current.length >= most || (current.length > 0 && bytes + own > PARTITION_BYTES)) {
      partitions.push(current);
      current = [];
      bytes = 0;
    }
    current.push(group);
    bytes += own;
  }
  if (current.length > 0) partitions.push(current);
  return partitions;
}

/** How many partitions a plan has; `groupSize` null = its rollouts stand alone. */
export function partitionCount(
  tasks: readonly { taskId: string; samples: number }[],
  groupSize: number | null,
): number {
  return (groupSize === null ? partitionsOf(tasks) : groupPartitionsOf(tasks, groupSize)).length;
}

/** As the list of a shift's groups names each of them in JSON. */
const BYTES_PER_NUMBERED_GROUP = 56;

/** How many groups of a run that serves a shift has: all as many, so that each process finds the same shifts. */
export function groupsPerShift(taskIds: readonly string[], size: number, shiftRollouts: number): number {
  const longest = taskIds.reduce((most, { length }) => Math.max(most, length), 0);
  const most = Math.min(
    Math.floor(shiftRollouts / size),
    Math.floor(PARTITION_BYTES / (longest + BYTES_PER_NUMBERED_GROUP)),
  );
  return Math.max(1, most);
}
