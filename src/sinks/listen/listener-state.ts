import { fillBatch } from './fill-batch.js';
import type { Entry, Item, ListenerEvent, ListenerState } from './listener.schema.js';
import { fillWithShares } from './shares.js';

export const emptyState = (): ListenerState => ({
  registration: null,
  registrations: 0,
  started: false,
  step: 0,
  trained: 0,
  batches: 0,
  acknowledged: 0,
  itemsAcknowledged: 0,
  repeats: 0,
  envs: [],
  buffers: {},
  queue: [],
  outstanding: null,
});

/** Changes the state by one event. The same events give the same state, whoever applies them. */
export function applyEvent(state: ListenerState, event: ListenerEvent): void {
  switch (event.kind) {
    case 'registered':
      register(state, event.registration);
      return;
    case 'started':
      state.started = true;
      return;
    case 'env_registered':
      state.envs.push({ ...event.env, connected: true });
      return;
    case 'env_disconnected': {
      const env = state.envs[event.envId];
      if (env !== undefined) env.connected = false;
      return;
    }
    case 'queued':
      for (const item of event.items) queue(state, item);
      return;
    case 'issued':
      if (event.acknowledges !== null) acknowledge(state, event.acknowledges);
      issue(state, event.batch, event.entries);
      return;
    case 'reissued':
      reissue(state);
      return;
    case 'acknowledged':
      acknowledge(state, event.batch);
      return;
    case 'reset': {
      const { registrations, batches, acknowledged, itemsAcknowledged, repeats } = state;
      const counts = { registrations, batches, acknowledged, itemsAcknowledged, repeats };
      Object.assign(state, emptyState(), counts);
    }
  }
}

/** The newest registration counts. Another batch size sends what is outstanding back to the front of the queue. */
function register(state: ListenerState, registration: NonNullable<ListenerState['registration']>): void {
  const before = state.registration;
  state.registration = registration;
  state.registrations += 1;
  state.step = registration.startingStep;
  state.trained = registration.startingStep;
  const { outstanding } = state;
  if (outstanding === null) return;
  if (before?.batchSize === registration.batchSize) {
    // It is handed out once more, as the first of this registration, unless the trainer says that it has it.
    outstanding.counted = false;
    return;
  }
  state.queue = [...outstanding.entries, ...state.queue];
  state.outstanding = null;
}

/** An item of another size than the groups of its environment waits for others that fill one with it. */
function queue(state: ListenerState, item: Item): void {
  const env = bufferingEnv(state, item);
  if (env === null) {
    state.queue.push(entryOf([item]));
    return;
  }
  const buffer = state.buffers[String(item.envId)] ?? [];
  buffer.push(item);
  const filled = fillBatch(
    buffer.map(({ size }) => size),
    env.groupSize,
  );
  if (filled !== null) state.queue.push(entryOf(filled.map((i) => buffer[i] as Item)));
  state.buffers[String(item.envId)] = buffer.filter((_, i) => !filled?.includes(i));
}

const entryOf = (items: Item[]): Entry => ({
  items,
  size: items.reduce((sum, { size }) => sum + size, 0),
  deliveries: 0,
});

/** The environment in whose buffer the item would wait; null when it goes to the queue as it is. */
export function bufferingEnv(
  state: ListenerState,
  { envId, size }: Pick<Item, 'envId' | 'size'>,
): ListenerState['envs'][number] | null {
  const env = envId === null ? undefined : state.envs[envId];
  return env === undefined || size >= env.groupSize ? null : env;
}

function issue(state: ListenerState, batch: number, ids: readonly string[]): void {
  const wanted = new Set(ids);
  const isWanted = ({ items }: Entry) => wanted.has(items[0]?.id as string);
  const entries = state.queue
    .filter(isWanted)
    .map((entry) => ({ ...entry, deliveries: entry.deliveries + 1 }));
  state.queue = state.queue.filter((entry) => !isWanted(entry));
  state.outstanding = { batch, entries, deliveries: 1, counted: true };
  state.repeats += itemsOf(entries.filter(({ deliveries }) => deliveries > 1)).length;
  state.batches = batch;
  state.step += 1;
}

function reissue(state: ListenerState): void {
  const { outstanding } = state;
  if (outstanding === null) return;
  if (!outstanding.counted) state.step += 1;
  outstanding.counted = true;
  outstanding.deliveries += 1;
  state.repeats += itemsOf(outstanding.entries).length;
  for (const entry of outstanding.entries) entry.deliveries += 1;
}

function acknowledge(state: ListenerState, batch: number): void {
  const { outstanding } = state;
  state.itemsAcknowledged += itemsOf(outstanding?.entries ?? []).length;
  // A trainer that comes back with a batch behind it has counted that in its starting step.
  if (outstanding?.counted !== false) state.trained += 1;
  state.outstanding = null;
  state.acknowledged = batch;
}

/** The entries of the next batch, each named by its first item; null while there is none. */
export function nextBatch(state: ListenerState): string[] | null {
  if (state.registration === null) return null;
  const filled = fillWithShares(state, state.registration.batchSize);
  return filled?.map((i) => state.queue[i]?.items[0]?.id as string) ?? null;
}

export const itemsOf = (entries: readonly Entry[]): Item[] => entries.flatMap(({ items }) => items);

/** The items that an event takes out of the listener for good: acknowledged, or dropped with a reset. */
export function goneWith(state: ListenerState, event: ListenerEvent): Item[] {
  const outstanding = itemsOf(state.outstanding?.entries ?? []);
  if (event.kind === 'acknowledged' || (event.kind === 'issued' && event.acknowledges !== null))
    return outstanding;
  if (event.kind !== 'reset') return [];
  return allItems(state);
}

/** Every item that somebody is still to be given. */
export function allItems({ queue, buffers, outstanding }: ListenerState): Item[] {
  return [...itemsOf(outstanding?.entries ?? []), ...itemsOf(queue), ...Object.values(buffers).flat()];
}
