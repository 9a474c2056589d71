import { fillBatch } from './fill-batch.js';
import type { Entry, ListenerState } from './listener.schema.js';

type Queue = Pick<ListenerState, 'queue' | 'envs'>;

/**
 * Which entries of the queue are the next batch; null while there is none. Of an environment with a share
 * (`min_batch_allocation`) as many sequences go first as its share comes to, or all that wait where those are fewer;
 * without any of it there is no batch. Then the oldest, as far as they fill the batch exactly. After
 * `grab_batch_with_minimum_allocations` of atroposlib/api/utils.py, which does the same for groups of one size.
 */
export function fillWithShares(state: Queue, batchSize: number): number[] | null {
  const first = new Set<number>();
  let left = batchSize;
  for (const [envId, least] of leastOf(state, batchSize)) {
    let wanted = least;
    if (!state.queue.some((entry) => envOf(entry) === envId)) return null;
    for (const [i, entry] of state.queue.entries()) {
      if (wanted <= 0) break;
      if (envOf(entry) !== envId || entry.size > left) continue;
      first.add(i);
      wanted -= entry.size;
      left -= entry.size;
    }
  }
  const order = [...first, ...[...state.queue.keys()].filter((i) => !first.has(i))];
  const sizes = order.map((i) => (state.queue[i] as Entry).size);
  return (
    fillBatch(sizes, batchSize)
      ?.map((at) => order[at] as number)
      .sort((a, b) => a - b) ?? null
  );
}

/** Less of the environment waits than the next batch is to have of it: a full queue has to let it in. */
export function isShortOf(state: Queue, envId: number | null, batchSize: number): boolean {
  const least = envId === null ? undefined : leastOf(state, batchSize).get(envId);
  if (least === undefined) return false;
  const waiting = state.queue.filter((entry) => envOf(entry) === envId);
  return waiting.reduce((sum, { size }) => sum + size, 0) < least;
}

/** Sequences by environment; shares that come to more than a batch are cut in proportion, to a group at least. */
function leastOf({ queue, envs }: Queue, batchSize: number): Map<number, number> {
  const wanted = envs.flatMap(({ connected, minBatchAllocation }, envId): [number, number][] => {
    const least = connected ? Math.trunc(batchSize * (minBatchAllocation ?? 0)) : 0;
    return least > 0 ? [[envId, least]] : [];
  });
  const total = wanted.reduce((sum, [, least]) => sum + least, 0);
  if (total <= batchSize) return new Map(wanted);
  return new Map(
    wanted.map(([envId, least]) => {
      const sizes = queue.filter((entry) => envOf(entry) === envId).map(({ size }) => size);
      return [envId, Math.max(Math.min(...sizes, batchSize), Math.trunc((least * batchSize) / total))];
    }),
  );
}

const envOf = ({ items }: Entry): number | null => items[0]?.envId ?? null;
