import { type GroupKey, groupId } from '../../core/ids.js';
import type { Clock } from '../../core/time.js';
import { keys } from '../../store/keys.js';
import { readRecord, writeRecord } from '../../store/records/records.js';
import type { ArtifactStore } from '../../store/store.js';
import { type Delivery, deliverySchema } from './delivery.schema.js';

/** The ledger of a sink: what became of each group, one record a group. */
export class Deliveries {
  constructor(
    private readonly store: ArtifactStore,
    private readonly sink: string,
    private readonly now: Clock,
  ) {}

  /** Null for a group that the sink has not begun. */
  read(key: GroupKey): Promise<Delivery | null> {
    return readRecord(this.store, deliverySchema, this.keyOf(key));
  }

  /** Changes what is known of a group: `before` as it was read, null for a new one. On disk once it returns. */
  async put(
    key: GroupKey,
    before: Delivery | null,
    change: Partial<Omit<Delivery, 'schemaVersion' | 'groupId' | 'firstAt' | 'at'>> & Pick<Delivery, 'state'>,
  ): Promise<Delivery> {
    const at = this.now();
    const fresh = { reason: null, attempts: 0, masked: 0, details: {}, firstAt: at };
    const next: Delivery = {
      ...(before ?? fresh),
      ...change,
      schemaVersion: 1,
      groupId: groupId(key),
      at,
    };
    await writeRecord(this.store, deliverySchema, this.keyOf(key), next);
    return next;
  }

  private keyOf({ runId, taskId, index }: GroupKey): string {
    return keys.delivery(runId, this.sink, taskId, index);
  }
}
