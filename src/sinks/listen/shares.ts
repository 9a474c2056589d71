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
  const { queue } = state;
  const first = new Set<number>();
  const waiting = waitingByEnv(queue);
  let left = batchSize;
  for (const [envId, least] of leastOf(state, batchSize)) {
    const own = waiting.get(envId);
    if (own === undefined) return null;
    let wanted = least;
    for (const i of own) {
      const { size } = queue[i] as Entry;
      if (wanted <= 0) break;
      if (size > left) continue;
      first.add(i);
      wanted -= size;
      left -= size;
    }
  }
  const order = [...first, ...[...queue.keys()].filter((i) => !first.has(i))];
  const sizes = order.map((i) => (queue[i] as Entry).size);
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
  const waiting = waitingByEnv(queue);
  return new Map(
    wanted.map(([envId, least]) => {
      const smallest = (waiting.get(envId) ?? []).reduce(
        (size, i) => Math.min(size, (queue[i] as Entry).size),
        batchSize,
      );
      return [envId, Math.max(smallest, Math.trunc((least * batchSize) / total))];
    }),
  );
}

/** Where in the queue the entries of each environment are. */
function waitingByEnv(queue: readonly Entry[]): Map<number | null, number[]> {
  const waiting = new Map<number | null, number[]>();
  for (const [i, entry] of queue.entries()) {
    const own = waiting.get(envOf(entry)) ?? [];
    own.push(i);
    waiting.set(envOf(entry), own);
  }
  return waiting;
}

const envOf = ({ items }: Entry): number | null => items[0]?.envId ?? null;
