import type { GroupKey } from '../../core/ids.js';
import type { LeftOut } from '../../formats/atropos-group/group-member.js';
import type { DeliveryState } from '../host/delivery.schema.js';
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
  }

  /** The item that is being sent, of which nobody knows whether it arrived. */
  get open(): Item | null {
    return this.items?.find(({ state }) => state === 'sending') ?? null;
  }

  /** Number of the next item to be sent; null when all were. */
  get next(): number | null {
    if (this.items === null) return 0;
    const at = this.items.findIndex(({ state }) => state === 'pending');
    return at < 0 ? null : at;
  }

  get state(): DeliveryState {
    const states = new Set(this.items?.map(({ state }) => state) ?? ['pending']);
    if (states.has('sending')) return 'sending';
    if (states.has('pending')) return states.size === 1 ? 'pending' : 'sending';
    return states.size === 1 && states.has('confirmed') ? 'confirmed' : 'sent';
  }

  /** As many items as the group has now: which members are masked changes with time. */
  resize(count: number): void {
    const items = (this.items ?? []).slice(0, count);
    while (items.length < count) items.push({ state: 'pending', attempts: 0, takenAt: null, resent: false });
    this.items = items;
  }

  /** The server has forgotten what it had: whatever is not confirmed is sent again. */
  sendAgain(reason: string): void {
    for (const item of this.items ?? []) {
      if (item.state === 'pending' || item.state === 'confirmed') continue;
      // Queued items, too: they may have been handed out after the last look.
      Object.assign(item, { state: 'pending', takenAt: null, resent: true });
    }
    this.before = null;
    this.reason = `sent again: ${reason}`;
  }
}
