import { describe, expect, it } from 'vitest';
import type { EnvStatus } from '../../../src/sinks/atropos/api.schema.js';
import type { Item, Snapshot } from '../../../src/sinks/atropos/ledger.schema.js';
import { arrival, ServerQueue } from '../../../src/sinks/atropos/server-queue.js';

const BATCH = 2;
const fresh = { step: 0, strays: 0, late: 0 };

const status = (step: number, own: number, all = own): EnvStatus => ({
  current_step: step,
  queue_size: all,
  self_queue_size: own,
  unallocated_fraction: 1,
});

const item = (state: Item['state'] = 'sending'): Item => ({
  state,
  attempts: 1,
  takenAt: null,
  resent: false,
});

/** A queue to which so many items were posted. */
function posted(count: number) {
  const queue = new ServerQueue(fresh, BATCH, []);
  const items = Array.from({ length: count }, () => item());
  for (const one of items) queue.accepted(one);
  return { queue, states: () => items.map(({ state }) => state) };
}

describe('what was posted is confirmed', () => {
  it('only when the step rises once more after the rise that took it off the queue', () => {
    const { queue, states } = posted(4);
    queue.look(status(0, 4));
    expect(states()).toEqual(['queued', 'queued', 'queued', 'queued']);
    queue.look(status(1, 2));
    expect(states()).toEqual(['taken', 'taken', 'queued', 'queued']);
    queue.look(status(1, 2));
    expect(states()).toEqual(['taken', 'taken', 'queued', 'queued']);
    queue.look(status(2, 0));
    expect(states()).toEqual(['confirmed', 'confirmed', 'taken', 'taken']);
  });

  it('not when several batches were formed at once, of which the trainer has had one', () => {
    const { queue, states } = posted(4);
    queue.look(status(2, 0));
    expect(states()).toEqual(['taken', 'taken', 'taken', 'taken']);
    expect(queue.look(status(2, 0)).changed).toEqual([]);
  });

  it('by an executor that goes on from the records', () => {
    const items = [{ ...item('taken'), takenAt: 3 }, item('queued')];
    const queue = new ServerQueue({ step: 3, strays: 0, late: 0 }, BATCH, items);
    expect(queue.look(status(4, 0)).lost).toBeNull();
    expect(items.map(({ state }) => state)).toEqual(['confirmed', 'taken']);
  });
});

describe('a server is another one than before when', () => {
  it.each([
    ['its step went back', 2, status(1, 2), 'its step went back from 2 to 1'],
    ['groups are gone without a step', 2, status(2, 1), '1 groups are gone from its queue'],
    ['it has more of ours than we sent', 2, status(2, 5), 'its queue has 5 groups of ours'],
  ])('%s', (_, step, seen, reason) => {
    const queue = new ServerQueue({ step, strays: 0, late: 0 }, BATCH, [item('queued'), item('queued')]);
    expect(queue.look(seen).lost).toContain(reason);
  });

  it('not when an item arrives late that was given up', () => {
    const { queue, states } = posted(2);
    queue.mayTurnUp();
    expect(queue.look(status(0, 3)).lost).toBeNull();
    expect(queue.waiting).toBe(3);
    // The stray may be the oldest: it is taken off first.
    queue.look(status(1, 1));
    expect(states()).toEqual(['taken', 'queued']);
  });
});

describe('a post that nobody answered', () => {
  const before: Snapshot = { step: 5, own: 3, alone: true };
  it.each<[string, Snapshot, EnvStatus, string]>([
    ['arrived: the queue has one more', before, status(5, 4), 'arrived'],
    ['did not arrive: the queue is as long as before', before, status(5, 3), 'not_arrived'],
    ['arrived, whoever else produces, while the step is the same', before, status(5, 4, 9), 'arrived'],
    ['arrived: queued and taken are one more', before, status(6, 2), 'arrived'],
    ['did not arrive: queued and taken are as many', before, status(6, 1), 'not_arrived'],
    ['is unknown when the step rose and others produce', before, status(6, 2, 3), 'unknown'],
    ['is unknown when others produced before', { ...before, alone: false }, status(6, 2), 'unknown'],
    ['is unknown when the sum is no sum of ours', before, status(6, 3), 'unknown'],
    ['was made to another server', before, status(4, 0), 'lost'],
    ['was made to another server, which has less', before, status(5, 0), 'lost'],
  ])('%s', (_, snapshot, seen, verdict) => {
    expect(arrival(snapshot, seen, BATCH)).toBe(verdict);
  });

  it('counts as one of several producers from what was seen', () => {
    const { queue } = posted(4);
    queue.look(status(1, 3));
    expect(queue.snapshot(status(1, 3)).alone).toBe(false);
  });
});
