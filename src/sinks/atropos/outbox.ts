import { groupId } from '../../core/ids.js';
import { largest } from '../../core/lists/extremes.js';
import { keys } from '../../store/keys.js';
import { readRecord, writeRecord } from '../../store/records/records.js';
import { patiently } from '../host/patiently.js';
import type { SinkContext } from '../sink.js';
import { atroposDeliverySchema, type Item } from './ledger.schema.js';
import { OpenGroup } from './open-group.js';

/** The closed groups of a run that the sink is not done with, in the order of their closing; each has its record. */
export class Outbox {
  /** In order. */
  groups: OpenGroup[] = [];

  constructor(private readonly context: SinkContext) {}

  /** Takes what has closed since; groups that an earlier executor was done with are passed over. */
  async takeNew(): Promise<void> {
    const { feed, store } = this.context;
    for (;;) {
      const key = await feed.poll();
      if (key === null) return;
      const stored = await this.patient(() =>
        readRecord(store, atroposDeliverySchema, keys.delivery(key.runId, 'atropos', key.taskId, key.index)),
      );
      const group = new OpenGroup(key, stored);
      if (group.outcome === null) this.groups.push(group);
      else feed.settled(key, group.outcome, group.masked);
    }
  }

  /** Items that were sent under a registration and are not confirmed, in the order in which they were accepted. */
  sentUnder(registration: number): Item[] {
    return this.groups
      .filter((group) => group.registration === registration)
      .flatMap(({ items }) => items ?? [])
      .filter(({ state }) => state === 'queued' || state === 'taken');
  }

  /** The group with an item of which nobody knows whether it arrived. */
  get inDoubt(): OpenGroup | null {
    return this.groups.find(({ open }) => open !== null) ?? null;
  }

  /** The first group with something to be sent. */
  get toSend(): OpenGroup | null {
    return this.groups.find(({ next }) => next !== null) ?? null;
  }

  /** Groups with something to be sent. */
  get unsent(): number {
    return this.groups.filter(({ next }) => next !== null).length;
  }

  /** Puts the records of the groups that these items are of, and lets go of those that are confirmed. */
  async saveChanged(items: readonly Item[]): Promise<void> {
    const changed = new Set(items);
    for (const group of [...this.groups])
      if (group.items?.some((item) => changed.has(item))) await this.save(group);
  }

  async save(group: OpenGroup): Promise<void> {
    const { store, now } = this.context;
    const { key, items, registration, before, leftOut, masked, reason } = group;
    const at = now();
    group.firstAt ??= at;
    const record = {
      schemaVersion: 1 as const,
      groupId: groupId(key),
      state: group.state,
      reason,
      attempts: largest(
        (items ?? []).map(({ attempts }) => attempts),
        0,
      ),
      masked,
      firstAt: group.firstAt,
      at,
      details: { registration, items: items ?? [], before: group.open ? before : null, leftOut },
    };
    await this.patient(() =>
      writeRecord(
        store,
        atroposDeliverySchema,
        keys.delivery(key.runId, 'atropos', key.taskId, key.index),
        record,
      ),
    );
    this.letGoIfDone(group);
  }

  /** The peer refuses the group, or it goes to no trainer. */
  async drop(group: OpenGroup, state: 'parked' | 'skipped', reason: string): Promise<void> {
    group.drop(state, reason);
    await this.save(group);
  }

  /** Servers have forgotten what was sent under these registrations. */
  forget(which: (registration: number) => boolean, reason: string): void {
    for (const group of [...this.groups]) {
      if (group.registration === null || !which(group.registration)) continue;
      group.sendAgain(reason);
      this.letGoIfDone(group);
    }
  }

  private letGoIfDone(group: OpenGroup): void {
    const { key, outcome, masked } = group;
    if (outcome === null) return;
    this.groups = this.groups.filter((open) => open !== group);
    this.context.feed.settled(key, outcome, masked);
  }

  private patient<T>(work: () => Promise<T>): Promise<T> {
    const { signal, logger } = this.context;
    return patiently(work, { signal, onTrouble: (err) => logger.debug({ err }, 'the store is awaited') });
  }
}
