import { LongrunError } from '../../core/errors.js';
import { append } from '../../core/lists/append.js';
import { gatherBounded } from '../../store/map-bounded.js';
import type { EventLog } from './event-log.js';
import { type ItemStore, itemId } from './item-store.js';
import type { Item, ListenerState } from './listener.schema.js';
import { bufferingEnv } from './listener-state.js';
import { type Loc, refused, type ScoredItem } from './scored-data.js';
import { isShortOf } from './shares.js';

/** Items of an environment that wait for others to fill a group with them: those that never add up end here. */
const MAX_BUFFERED = 1_024;

/** What became of an item that was posted. */
export interface Taken {
  id: string;
  /** It was posted before: nothing is queued. */
  duplicate: boolean;
  /** It waits for others of its environment, of whom so many sequences wait; null = it went to the queue. */
  bufferSize: number | null;
}

interface Claim {
  scored: ScoredItem;
  item: Item;
  /** Another request that is just taking the same item; null = none. */
  before: Promise<unknown> | null;
  /** It stands in the same list already. */
  repeated: boolean;
}

interface OpenEvent {
  items: Item[];
  done: Promise<void>;
}

/** Takes items into the queue: each once, its content in the store before it counts. */
export class Intake {
  private readonly inFlight = new Map<string, Promise<unknown>>();
  /** Items that arrive while an event is being written share the next one. */
  private open: OpenEvent | null = null;

  constructor(
    private readonly log: EventLog,
    private readonly items: ItemStore,
    private readonly maxQueue: number,
    /** Once the contents are cleared away that nobody will be given any more. */
    private readonly cleared: () => Promise<void>,
  ) {}

  /**
   * Of other producers. Throws `RefusedBody` for a group that no batch of the trainer's can ever hold, and
   * `sink_unavailable` while the queue is full, or what waits to be completed to groups.
   */
  takePosted(items: readonly ScoredItem[], locOf: (i: number) => Loc): Promise<Taken[]> {
    for (const [i, item] of items.entries()) refuseUnfit(this.log.state, item, locOf(i));
    for (const { envId } of items) refuseUnfilled(this.log.state, envId);
    if (
      isFull(this.log.state, this.maxQueue) &&
      !items.every(({ envId }) => isAwaited(this.log.state, envId))
    )
      throw new LongrunError(
        'sink_unavailable',
        `${this.log.state.queue.length} groups wait for the trainer`,
        {
          retryable: true,
          hint: 'Post it again later.',
        },
      );
    return this.take(items);
  }

  /** Of the run itself, or past the door. In their order, none without the others. */
  async take(items: readonly ScoredItem[]): Promise<Taken[]> {
    const claims = items.map((scored) => this.claim(scored));
    const own = new Set<string>();
    for (const claim of claims) {
      claim.repeated = own.has(claim.item.id);
      own.add(claim.item.id);
    }
    const work = this.takeClaimed(claims);
    const firsts = claims.filter(({ before, repeated }) => before === null && !repeated);
    for (const { item } of firsts) this.inFlight.set(item.id, work);
    try {
      return await work;
    } finally {
      for (const { item } of firsts) this.inFlight.delete(item.id);
    }
  }

  private claim(scored: ScoredItem): Claim {
    const { size, envId, groupId, policy } = scored;
    const env = envId === null ? undefined : this.log.state.envs[envId];
    const id = itemId(scored, env?.desiredName ?? '');
    const before = this.inFlight.get(id) ?? null;
    return { scored, item: { id, size, envId, groupId, policy }, before, repeated: false };
  }

  private async takeClaimed(claims: readonly Claim[]): Promise<Taken[]> {
    const duplicates = await gatherBounded(claims, (claim) => this.store(claim));
    const fresh = claims.filter((_, i) => !duplicates[i]).map(({ item }) => item);
    const buffered = claims.map(({ item }) => bufferingEnv(this.log.state, item) !== null);
    if (fresh.length > 0) await this.queue(fresh);
    return claims.map(({ item }, i) => ({
      id: item.id,
      duplicate: duplicates[i] as boolean,
      bufferSize: buffered[i] ? this.waiting(item) : null,
    }));
  }

  /** Puts the content there; true when the item was posted before. */
  private async store({ item, scored, before, repeated }: Claim): Promise<boolean> {
    if (repeated) return true;
    if (before !== null) {
      await before;
      return true;
    }
    let found = await this.items.put(item.id, scored);
    if (found === 'there' && !this.log.live.has(item.id)) {
      // It is just being cleared away, or its poster died before it was queued.
      await this.cleared();
      found = await this.items.put(item.id, scored);
    }
    return found === 'consumed' || (found === 'there' && this.log.live.has(item.id));
  }

  private waiting({ envId }: Item): number {
    const items = this.log.state.buffers[String(envId)] ?? [];
    return items.reduce((sum, { size }) => sum + size, 0);
  }

  private queue(items: readonly Item[]): Promise<void> {
    const event = this.open ?? this.openEvent();
    append(event.items, items);
    return event.done;
  }

  private openEvent(): OpenEvent {
    const event: OpenEvent = { items: [], done: Promise.resolve() };
    this.open = event;
    event.done = this.log.commit(() => {
      if (this.open === event) this.open = null;
      return { event: { kind: 'queued', items: event.items }, result: undefined };
    });
    return event;
  }
}

/** Full is only what could give the trainer a batch: a queue that cannot would stay as it is for ever. */
export function isFull({ queue, registration }: ListenerState, maxQueue: number): boolean {
  if (queue.length < maxQueue) return false;
  const sequences = queue.reduce((sum, { size }) => sum + size, 0);
  return registration === null || sequences >= registration.batchSize;
}

function refuseUnfilled({ buffers }: ListenerState, envId: number | null): void {
  const waiting = (buffers[String(envId)] ?? []).length;
  if (waiting < MAX_BUFFERED) return;
  throw new LongrunError(
    'sink_unavailable',
    `${waiting} items of environment ${envId} wait for others that fill a group with them`,
    {
      retryable: true,
      hint: 'Post groups of the size that it registered, or drop what waits with GET /reset_data.',
    },
  );
}

/** No batch is handed out without the share of its environment. */
const isAwaited = (state: ListenerState, envId: number | null): boolean =>
  state.registration !== null && isShortOf(state, envId, state.registration.batchSize);

function refuseUnfit(state: ListenerState, item: ScoredItem, loc: Loc): void {
  const { registration } = state;
  if (registration === null) return;
  const size = bufferingEnv(state, item)?.groupSize ?? item.size;
  if (registration.batchSize % size !== 0)
    throw refused(
      'group_size',
      [...loc, 'tokens'],
      `a group of ${size} sequences never fits: the trainer's batches have ${registration.batchSize}, which is no multiple of it`,
    );
}
