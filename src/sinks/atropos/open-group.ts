import type { GroupKey } from '../../core/ids.js';
import type { LeftOut } from '../../formats/atropos-group/group-member.js';
import type { DeliveryState } from '../host/delivery.schema.js';
import type { Outcome } from '../sink.js';
import type { AtroposDelivery, Item, Snapshot } from './ledger.schema.js';

/** A group that has closed and that the sink is not done with. */
export class OpenGroup {
  /** Null: it was not looked at yet. */
  items: Item[] | null;
  registration: number | null;
  before: Snapshot | null;
  leftOut: LeftOut[];
  masked: number;
  /** When the sink began with it; null = it has not. */
  firstAt: number | null;
  /** For people. */
  reason: string | null;
  /** It goes no further; what of it is at a server may reach the trainer. */
  dropped: 'parked' | 'skipped' | null;

  constructor(
    readonly key: GroupKey,
    stored: AtroposDelivery | null,
  ) {
    const details = stored?.details;
    this.items = details && details.items.length > 0 ? details.items : null;
    this.registration = details?.registration ?? null;
    this.before = details?.before ?? null;
    this.leftOut = details?.leftOut ?? [];
    this.masked = stored?.masked ?? 0;
    this.firstAt = stored?.firstAt ?? null;
    this.reason = stored?.reason ?? null;
    this.dropped = stored?.state === 'parked' || stored?.state === 'skipped' ? stored.state : null;
  }

  /** The item that is being sent, of which nobody knows whether it arrived. */
  get open(): Item | null {
    return this.items?.find(({ state }) => state === 'sending') ?? null;
  }

  /** Number of the next item to be sent; null when none is left. */
  get next(): number | null {
    if (this.dropped !== null) return null;
    if (this.items === null) return 0;
    const at = this.items.findIndex(({ state }) => state === 'pending');
    return at < 0 ? null : at;
  }

  /** How the sink is done with it; null = it is not. What a server has of it takes its place in a batch. */
  get outcome(): Outcome | null {
    if (this.dropped !== null) {
      const there = this.items?.some(({ state }) => state === 'queued' || state === 'taken') ?? false;
      return there ? null : this.dropped;
    }
    return this.state === 'confirmed' ? 'delivered' : null;
  }

  get state(): DeliveryState {
    if (this.dropped !== null) return this.dropped;
    const states = new Set(this.items?.map(({ state }) => state) ?? ['pending']);
    if (states.has('sending')) return 'sending';
    if (states.has('pending')) return states.size === 1 ? 'pending' : 'sending';
    return states.size === 1 && states.has('confirmed') ? 'confirmed' : 'sent';
  }

  /** As many items as the group has now: which members are masked changes with time. Those that were sent stay. */
  resize(count: number): void {
    const items = (this.items ?? []).filter(({ state }, i) => i < count || state !== 'pending');
    while (items.length < count) items.push({ state: 'pending', attempts: 0, takenAt: null, resent: false });
    this.items = items;
  }

  /** It goes to no trainer, or the server refuses it. */
  drop(state: 'parked' | 'skipped', reason: string): void {
    for (const item of this.items ?? []) if (item.state === 'sending') item.state = 'pending';
    this.dropped = state;
    this.reason = reason;
  }

  /** The server has forgotten what it had: whatever is not confirmed is sent again, unless it was dropped. */
  sendAgain(reason: string): void {
    for (const item of this.items ?? []) {
      if (item.state === 'pending' || item.state === 'confirmed') continue;
      // Queued items, too: they may have been handed out after the last look.
      Object.assign(item, { state: 'pending', takenAt: null, resent: true });
    }
    this.before = null;
    if (this.dropped === null) this.reason = `sent again: ${reason}`;
  }
}
