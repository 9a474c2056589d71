import { AppendLog } from '../../store/append-log.js';
import { putRecordIfAbsent, readRecord } from '../../store/records/records.js';
import type { ArtifactStore } from '../../store/store.js';
import {
  checkpointSchema,
  type Item,
  type ListenerEvent,
  type ListenerState,
  listenerEventSchema,
} from './listener.schema.js';
import { allItems, applyEvent, emptyState, goneWith } from './listener-state.js';

/** Events between two checkpoints: so many are read at a start. */
const CHECKPOINT_EVERY = 500;

/** An event as it is decided on; when it happened is added as it is put. */
export type NewEvent = ListenerEvent extends infer E
  ? E extends ListenerEvent
    ? Omit<E, 'schemaVersion' | 'at'>
    : never
  : never;

/** What to do in a state: put an event, or nothing. */
export interface Decision<T> {
  event: NewEvent | null;
  result: T;
}

export interface EventLogOptions {
  store: ArtifactStore;
  prefix: string;
  now: () => number;
  /** Told once an event is in the log: items that nobody will be given any more, and the event that says so. */
  onGone(items: Item[], event: ListenerEvent): void;
}

/**
 * The events of a listener, in the store under the next number if that is free. Whoever finds it taken reads what
 * came between and decides anew: two listeners on one store cannot hand out the same batch.
 */
export class EventLog {
  readonly state: ListenerState;
  /** Ids of the items that somebody is still to be given. */
  readonly live: Set<string>;
  private readonly log: AppendLog<typeof listenerEventSchema>;
  private tail: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly options: EventLogOptions,
    private position: number,
    state: ListenerState,
  ) {
    this.log = new AppendLog(options.store, listenerEventSchema, `${options.prefix}/log`);
    this.state = state;
    this.live = new Set(allItems(state).map(({ id }) => id));
  }

  static async open(options: EventLogOptions): Promise<EventLog> {
    const folder = `${options.prefix}/checkpoints`;
    const newest = (await options.store.children(folder)).at(-1);
    const checkpoint =
      newest === undefined ? null : await readRecord(options.store, checkpointSchema, `${folder}/${newest}`);
    const opened = new EventLog(options, checkpoint?.events ?? 0, checkpoint?.state ?? emptyState());
    await opened.catchUp();
    return opened;
  }

  /** Puts the event that `decide` asks for in the newest state, one after the other. */
  commit<T>(decide: (state: ListenerState) => Decision<T>): Promise<T> {
    const turn = this.tail.then(() => this.put(decide));
    this.tail = turn.catch(() => undefined);
    return turn;
  }

  private async put<T>(decide: (state: ListenerState) => Decision<T>): Promise<T> {
    for (;;) {
      const { event, result } = decide(this.state);
      if (event === null) return result;
      const whole = { ...event, schemaVersion: 1, at: this.options.now() } as ListenerEvent;
      const { won } = await putRecordIfAbsent(
        this.options.store,
        listenerEventSchema,
        this.log.keyOf(this.position),
        whole,
      );
      if (won) {
        this.apply(whole);
        await this.checkpoint();
        return result;
      }
      await this.catchUp();
    }
  }

  private async catchUp(): Promise<void> {
    for (;;) {
      const event = await this.log.read(this.position);
      if (event === null) return;
      this.apply(event);
      await this.checkpoint();
    }
  }

  private apply(event: ListenerEvent): void {
    const gone = goneWith(this.state, event);
    applyEvent(this.state, event.kind === 'queued' ? { ...event, items: this.fresh(event.items) } : event);
    for (const { id } of gone) this.live.delete(id);
    this.position += 1;
    if (gone.length > 0) this.options.onGone(gone, event);
  }

  /** Two listeners may have queued the same item at once: the first event counts, for whoever reads them. */
  private fresh(items: readonly Item[]): Item[] {
    return items.filter(({ id }) => {
      const isNew = !this.live.has(id);
      this.live.add(id);
      return isNew;
    });
  }

  private async checkpoint(): Promise<void> {
    const { position: events, state } = this;
    const { store, prefix } = this.options;
    if (events % CHECKPOINT_EVERY !== 0) return;
    const key = `${prefix}/checkpoints/${String(events).padStart(8, '0')}.json`;
    await putRecordIfAbsent(store, checkpointSchema, key, { schemaVersion: 1, events, state });
  }
}
