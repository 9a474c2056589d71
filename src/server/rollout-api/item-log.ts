import { AppendLog } from '../../store/append-log.js';
import { keys } from '../../store/keys.js';
import { putRecordIfAbsent } from '../../store/records/records.js';
import type { ArtifactStore } from '../../store/store.js';
import { handedOutSchema } from './request-record.schema.js';

/** Which of an environment's items a consumer has been handed out: a log of stretches that join without a gap. */
export class ItemLog {
  private readonly log: AppendLog<typeof handedOutSchema>;

  constructor(
    private readonly store: ArtifactStore,
    runId: string,
    environment: string,
    consumer: string,
  ) {
    this.log = new AppendLog(store, handedOutSchema, keys.handedOut(runId, environment, consumer));
  }

  /** Takes the next `count` items, and answers the position of the first: nobody else is handed them. */
  async take(count: number, at: number): Promise<number> {
    for (let n = await this.log.length(); ; n++) {
      const from = n === 0 ? 0 : ((await this.log.read(n - 1))?.to ?? 0);
      const entry = { schemaVersion: 1 as const, from, to: from + count, at };
      const { won } = await putRecordIfAbsent(this.store, handedOutSchema, this.log.keyOf(n), entry);
      if (won) return from;
    }
  }
}
