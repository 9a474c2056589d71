import { randomUUID } from 'node:crypto';
import { badInput, LongrunError } from '../../core/errors.js';
import { largest } from '../../core/lists/extremes.js';
import { AppendLog } from '../../store/append-log.js';
import { mapBounded } from '../../store/map-bounded.js';
import type { ArtifactStore } from '../../store/store.js';
import { EventLog, type NewEvent } from './event-log.js';
import { type Answer, HandingOut, type Handout } from './handing-out.js';
import { Intake, type Taken } from './intake.js';
import { ItemStore, itemJson, marked, type StoredItem } from './item-store.js';
import {
  type Env,
  type Item,
  type ListenerEvent,
  type ListenerState,
  type Registration,
  repeatSchema,
} from './listener.schema.js';
import type { Loc, ScoredItem } from './scored-data.js';

/** Environments keep their number for good, also those that have left: each registration adds one. */
const MAX_ENVS = 4_096;

export interface ListenerOptions {
  store: ArtifactStore;
  /** Everything of the listener lies under it. */
  prefix: string;
  maxQueue: number;
  now: () => number;
  /** Throws `fenced` when another executor has taken over. */
  checkFence(): Promise<void>;
  /** What of an item is handed out now: it may have become too old meanwhile. */
  atHandOut(item: Item, stored: StoredItem): Promise<StoredItem>;
  /** Something was handed out, acknowledged, queued or registered. */
  onChange(): void;
}

/** The queue between producers and one trainer, in the store: what is in memory are sizes and numbers. */
export class Listener {
  readonly intake: Intake;
  private readonly handingOut: HandingOut;
  private readonly repeats: AppendLog<typeof repeatSchema>;
  /** Removal of contents that nobody will be given any more. */
  private clearing: Promise<void> = Promise.resolve();
  private latest: ScoredItem | null = null;

  private constructor(
    private readonly options: ListenerOptions,
    private readonly log: EventLog,
    private readonly items: ItemStore,
  ) {
    this.intake = new Intake(log, items, options.maxQueue, () => this.clearing);
    this.handingOut = new HandingOut(log);
    this.repeats = new AppendLog(options.store, repeatSchema, `${options.prefix}/repeats`);
  }

  static async open(options: ListenerOptions): Promise<Listener> {
    const { store, prefix, now } = options;
    const items = new ItemStore(store, prefix);
    // What was gone before this start is cleared once more: whoever began it may have died over it.
    const gone: { items: Item[]; event: ListenerEvent }[] = [];
    let opened: Listener | null = null;
    const onGone = (of: Item[], event: ListenerEvent) => {
      if (opened === null) gone.push({ items: of, event });
      else opened.clear(of, event);
    };
    const log = await EventLog.open({ store, prefix, now, onGone });
    opened = new Listener(options, log, items);
    for (const { items: of, event } of gone) opened.clear(of, event);
    return opened;
  }

  get state(): Readonly<ListenerState> {
    return this.log.state;
  }

  /** Answers the uuid in decimal digits. */
  async register(registration: Registration): Promise<string> {
    await this.options.checkFence();
    const uuid = BigInt(`0x${randomUUID().replaceAll('-', '')}`).toString();
    await this.put({ kind: 'registered', uuid, registration });
    return uuid;
  }

  /** Answers the id of the environment; null while no trainer has asked for a batch. Throws `bad_input` for one too many. */
  async registerEnv(env: Env): Promise<{ envId: number; name: string } | null> {
    const place = await this.log.commit((state) => {
      if (!state.started) return { event: null, result: null };
      if (state.envs.length >= MAX_ENVS)
        throw badInput(
          `${MAX_ENVS} environments have registered, which is the limit.`,
          'GET /reset_data forgets them.',
        );
      const namesakes = state.envs.filter(({ desiredName }) => desiredName === env.desiredName).length;
      const result = { envId: state.envs.length, name: `${env.desiredName}_${namesakes}` };
      return { event: { kind: 'env_registered', env }, result };
    });
    this.options.onChange();
    return place;
  }

  /** False where nobody registered it. */
  disconnectEnv(envId: number): Promise<boolean> {
    return this.log.commit((state) => {
      const env = state.envs[envId];
      const event = env?.connected === true ? ({ kind: 'env_disconnected', envId } as const) : null;
      return { event, result: env !== undefined };
    });
  }

  reset(): Promise<void> {
    return this.put({ kind: 'reset' });
  }

  /** Throws `RefusedBody`, `sink_unavailable` while the queue is full. */
  async post(items: readonly ScoredItem[], locOf: (i: number) => Loc): Promise<Taken[]> {
    const taken = await this.intake.takePosted(items, locOf);
    this.keepLatest(items, taken);
    this.options.onChange();
    return taken;
  }

  async queueOwn(items: readonly ScoredItem[]): Promise<Taken[]> {
    // One that was frozen must not queue what a newer executor has handed out meanwhile.
    await this.options.checkFence();
    const taken = await this.intake.take(items);
    this.keepLatest(items, taken);
    this.options.onChange();
    return taken;
  }

  /** The item that came last, as JSON; null when there was none since the start. */
  latestItem(): Buffer | null {
    if (this.latest === null) return null;
    const { groupOverrides, rest } = this.latest;
    return itemJson({ groupOverrides, rest: Buffer.from(rest) });
  }

  async next(ack: number | null): Promise<Answer> {
    await this.options.checkFence();
    const acknowledged = this.state.acknowledged;
    const answer = await this.handingOut.next(ack);
    if (answer.kind === 'batch' || this.state.acknowledged !== acknowledged) this.options.onChange();
    return answer;
  }

  /** The items of a delivery, marked; what goes out once more is listed first. */
  async content({ batch }: Handout): Promise<Buffer[]> {
    const { outstanding } = this.state;
    if (outstanding?.batch !== batch)
      throw new LongrunError('fenced', `batch ${batch} is acknowledged`, { hint: 'Ask for the next one.' });
    await this.list(batch, outstanding);
    const wanted = outstanding.entries.flatMap(({ items, deliveries: n }) =>
      items.map((item) => ({ item, mark: { batch, n } })),
    );
    const parts: Buffer[] = [];
    const read = async ({ item, mark }: (typeof wanted)[number]) => {
      const { groupOverrides, rest } = await this.contentOf(item);
      return itemJson({ groupOverrides: marked(groupOverrides, mark), rest });
    };
    for await (const { result } of mapBounded(wanted, read)) parts.push(result);
    return parts;
  }

  private async contentOf(item: Item): Promise<StoredItem> {
    const stored = await this.items.read(item.id);
    if (stored === null)
      throw new LongrunError('record_invalid', `item ${item.id} is not in the store`, {
        hint: 'Something else has removed it; GET /reset_data drops the queue.',
      });
    return this.options.atHandOut(item, stored);
  }

  wasSent(handout: Handout): void {
    this.handingOut.wasSent(handout);
    this.options.onChange();
  }

  wasCut(handout: Handout): void {
    this.handingOut.wasCut(handout);
  }

  /** Once what is gone is cleared away. */
  settled(): Promise<void> {
    return this.clearing;
  }

  private async list(batch: number, { entries }: NonNullable<ListenerState['outstanding']>): Promise<void> {
    const again = entries.filter(({ deliveries }) => deliveries > 1);
    if (again.length === 0) return;
    const n = largest(again.map(({ deliveries }) => deliveries));
    const groups = again.flatMap(({ items }) => items.map(({ groupId, id }) => groupId ?? id));
    await this.repeats.append({ schemaVersion: 1, batch, n, groups, at: this.options.now() });
  }

  private async put(event: NewEvent): Promise<void> {
    await this.log.commit(() => ({ event, result: undefined }));
    this.options.onChange();
  }

  private keepLatest(items: readonly ScoredItem[], taken: readonly Taken[]): void {
    const last = taken.findLastIndex(({ duplicate }) => !duplicate);
    this.latest = items[last] ?? this.latest;
  }

  private clear(items: readonly Item[], event: ListenerEvent): void {
    const remove = async ({ id }: Item): Promise<void> => {
      // After a start the log may tell of items that went and were posted again since.
      if (this.log.live.has(id)) return;
      await (event.kind === 'reset' ? this.items.drop(id) : this.items.consume(id));
    };
    this.clearing = this.clearing.then(async () => {
      // What cannot be cleared now only takes up room: the log says what counts.
      for await (const _ of mapBounded(items, (item) => remove(item).catch(() => undefined)));
    });
  }
}
