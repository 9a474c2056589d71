import type { Item, ListenerState } from './listener.schema.js';
import { itemsOf } from './listener-state.js';

const SMALLEST_WEIGHT = 0.01;

/** What `/status-env` answers, by the original's formulas; null for an environment that nobody registered. */
export function envStatus(state: ListenerState, envId: number) {
  const env = state.envs[envId];
  if (env === undefined) return null;
  const items = itemsOf(state.queue);
  const own = items.filter((item) => item.envId === envId);
  const largest = (of: readonly Item[], least: number) =>
    of.reduce((most, { size }) => Math.max(most, size), least);
  const groupSize = largest(own, env.groupSize);
  const maxGroupSize = largest(items, 1);
  const ownSequences = sequencesIn(own);
  const connected = state.envs.filter((one) => one.connected);
  const allocated = connected.reduce((sum, { minBatchAllocation }) => sum + (minBatchAllocation ?? 0), 0);
  return {
    current_step: state.step,
    queue_size: Math.floor((ownSequences + fromOthers(state, items, envId, maxGroupSize)) / groupSize),
    unallocated_fraction: 1 - Math.min(allocated, 1),
    self_queue_size: Math.floor(ownSequences / groupSize),
    max_group_size: maxGroupSize,
    env_weight: weightOf(state, envId),
  };
}

const sequencesIn = (items: readonly Item[]): number => items.reduce((sum, { size }) => sum + size, 0);

/** Sequences of the other environments, in whole packs, less what is set aside for them. */
function fromOthers(state: ListenerState, items: readonly Item[], envId: number, packSize: number): number {
  if (packSize <= 1) return 0;
  const others = new Map<number | null, number>();
  for (const item of items)
    if (item.envId !== envId) others.set(item.envId, (others.get(item.envId) ?? 0) + item.size);
  let sum = 0;
  for (const [other, sequences] of others) {
    const env = other === null ? undefined : state.envs[other];
    const share = env?.connected ? (env.minBatchAllocation ?? 0) : 0;
    const aside = Math.trunc((state.registration?.batchSize ?? 0) * share);
    sum += Math.max(0, Math.ceil(sequences / packSize) * packSize - aside);
  }
  return sum;
}

function weightOf({ envs }: ListenerState, envId: number): number {
  const total = envs
    .filter(({ connected }) => connected)
    .reduce((sum, { maxTokenLength, weight }) => sum + maxTokenLength * Math.max(0, weight), 0);
  const env = envs[envId];
  if (env === undefined || total === 0) return SMALLEST_WEIGHT;
  return Math.max(SMALLEST_WEIGHT, (env.maxTokenLength * env.weight) / total);
}
