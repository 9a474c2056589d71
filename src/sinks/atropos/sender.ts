import { LongrunError } from '../../core/errors.js';
import { checkItem } from '../../formats/atropos-group/check-item.js';
import type { ScoredItem } from '../../formats/atropos-group/scored-item.js';
import { type ScoredItems, scoredItems } from '../../formats/atropos-group/scored-items.js';
import type { FedGroup, SinkContext } from '../sink.js';
import type { EnvStatus } from './api.schema.js';
import type { AtroposApi } from './atropos-api.js';
import type { Item, Registration, Standing } from './ledger.schema.js';
import type { OpenGroup } from './open-group.js';
import type { Outbox } from './outbox.js';
import { arrival, type ServerQueue } from './server-queue.js';

/** A request that nobody answered may still be worked on: the server is looked at again after this. */
const SECOND_LOOK_MS = 1_000;
/** An item that the server breaks on every time must not hold up all others. */
const MOST_UNANSWERED = 5;
/** The server is full, or wants to be asked less often: it has not taken the item, and nothing is wrong with that. */
const ASK_LATER: ReadonlySet<unknown> = new Set([425, 429, 503]);
/** A gateway says these: what is behind it may have got the item. */
const NOBODY_ANSWERED: ReadonlySet<unknown> = new Set([undefined, 502, 504]);

/** The next group with something to be sent, as items. */
export interface Prepared {
  group: OpenGroup;
  items: readonly ScoredItem[];
}

/** Posts items one at a time, and finds out what became of those that nobody answered. */
export class Sender {
  private prepared: Prepared | null = null;
  private lookedAt: number | null = null;
  /** Posts of one item in a row that the server has seen and not taken. */
  private unanswered = 0;
  private trouble = '';
  /** The last post was put off by the server, in so many words. */
  private putOff = false;
  /** The server answered the last post, with an error: it is not at work on it any more. */
  private answered = false;
  /** Groups in a row with rewards to learn from and nothing that can be trained. */
  private untrainable = 0;

  constructor(
    private readonly context: SinkContext,
    private readonly outbox: Outbox,
  ) {}

  /** The first group in order that has something to send; those that go to no trainer are put aside on the way. */
  async prepare(maxTokenLength: number | null): Promise<Prepared | null> {
    for (;;) {
      const group = this.outbox.inDoubt ? null : this.outbox.toSend;
      if (group === null) return null;
      if (this.prepared?.group === group) return this.prepared;
      const fed = await this.context.feed.read(group.key);
      const { items, skipped, leftOut } = this.itemsOf(fed, maxTokenLength);
      group.leftOut = leftOut;
      group.masked = fed.masked;
      if (skipped !== null) {
        await this.outbox.drop(group, 'skipped', `${skipped.code}: ${skipped.reason}`);
        this.checkStreak(skipped);
        continue;
      }
      const problem = items.map((item) => checkItem(item)).find((found) => found !== null);
      if (problem !== undefined) {
        await this.outbox.drop(group, 'parked', `not sent: ${problem}`);
        continue;
      }
      this.untrainable = 0;
      group.resize(items.length);
      this.prepared = { group, items };
      if (group.next !== null) return this.prepared;
      await this.outbox.save(group);
    }
  }

  /**
   * Posts the next item of a group. Before that the ledger says so: whoever finds it thus settles what became of it.
   * A refused group is parked; of a lost connection the error is thrown.
   */
  async send(
    api: AtroposApi,
    { group, items }: Prepared,
    { registration, standing, queue }: { registration: Registration; standing: Standing; queue: ServerQueue },
    status: EnvStatus,
  ): Promise<void> {
    const at = group.next as number;
    const item = (group.items ?? [])[at];
    const scored = items[at];
    if (item === undefined || scored === undefined)
      throw new LongrunError('internal', 'there is no item to send');
    const known = { registration: group.registration, resent: item.resent };
    Object.assign(item, { state: 'sending', attempts: item.attempts + 1 });
    group.registration = standing.registration;
    group.before = queue.snapshot(status);
    await this.outbox.save(group);
    await this.context.checkFence();
    try {
      const posted = await api.post({
        ...scored,
        env_id: registration.envId,
        group_overrides: {
          ...scored.group_overrides,
          delivery: { attempt: item.attempts, resent: item.resent },
        },
      });
      if (!posted.accepted) {
        this.prepared = null;
        await this.outbox.drop(group, 'parked', `refused: ${posted.reason}`);
        return;
      }
    } catch (error) {
      if (LongrunError.is(error) && (error.details.unsent === true || error.code === 'sink_refused')) {
        Object.assign(item, { state: 'pending', attempts: item.attempts - 1, resent: known.resent });
        group.registration = known.registration;
        await this.outbox.save(group);
      }
      this.prepared = null;
      this.trouble = error instanceof Error ? error.message : String(error);
      const status = LongrunError.is(error) ? error.details.status : undefined;
      this.putOff = ASK_LATER.has(status);
      this.answered = !NOBODY_ANSWERED.has(status);
      throw error;
    }
    queue.accepted(item);
    this.unanswered = 0;
    await this.outbox.save(group);
  }

  /** Finds out whether the post that nobody answered arrived. `open`: that takes another look. */
  async settleDoubt(queue: ServerQueue, status: EnvStatus): Promise<'settled' | 'open' | 'lost'> {
    const group = this.outbox.inDoubt;
    const item = group?.open;
    if (!group || !item) return 'settled';
    const verdict = group.before === null ? 'unknown' : arrival(group.before, status, queue.batchItems);
    if (verdict === 'lost') return 'lost';
    if (verdict === 'arrived') queue.accepted(item);
    else {
      this.lookedAt ??= this.context.now();
      if (this.context.now() - this.lookedAt < SECOND_LOOK_MS) return 'open';
      if (!this.putOff) this.unanswered += 1;
      this.sendAgain(group, item, queue, verdict === 'not_arrived' && this.answered);
    }
    this.lookedAt = null;
    if (this.unanswered < MOST_UNANSWERED) await this.outbox.save(group);
    else {
      this.unanswered = 0;
      await this.outbox.drop(group, 'parked', `not accepted in ${MOST_UNANSWERED} attempts: ${this.trouble}`);
    }
    return 'settled';
  }

  /**
   * An item that is not in the queue may get there yet, unless the server has answered: the network can deliver a post
   * long after its sender has given it up.
   */
  private sendAgain(group: OpenGroup, item: Item, queue: ServerQueue, neverArrives: boolean): void {
    item.state = 'pending';
    if (neverArrives) return;
    item.resent = true;
    group.reason = 'sent again: nobody can tell whether it had arrived';
    queue.mayTurnUp();
  }

  /** What was prepared is prepared anew: time has passed, or the server is another. */
  forget(): void {
    this.prepared = null;
  }

  /** Rollouts of which the trainer can use none are not paid for without end. */
  private checkStreak({ code, reason }: NonNullable<ScoredItems['skipped']>): void {
    if (code !== 'nothing_to_train') return;
    this.untrainable += 1;
    if (this.untrainable < (this.context.run.config.deadGroups ?? Number.POSITIVE_INFINITY)) return;
    throw new LongrunError(
      'sink_refused',
      `nothing of the last ${this.untrainable} groups can be trained: ${reason}`,
      { hint: 'They are kept in the store. See --token-api, --max-token-length and --max-lag.' },
    );
  }

  private itemsOf({ record, episodes, lags }: FedGroup, maxTokenLength: number | null) {
    const lagOf = new Map(episodes.map(({ rollout }, i) => [rollout?.sample, lags[i] ?? null]));
    return scoredItems(record, episodes, {
      maxTokenLength,
      keepZeroVariance: this.context.run.config.serve?.keepZeroVariance ?? false,
      lagOf: (sample) => lagOf.get(sample) ?? null,
    });
  }
}
