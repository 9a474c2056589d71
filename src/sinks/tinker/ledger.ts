import { type GroupKey, groupId } from '../../core/ids.js';
import { AppendLog } from '../../store/append-log.js';
import { keys } from '../../store/keys.js';
import { mapBounded } from '../../store/map-bounded.js';
import { putRecordIfAbsent } from '../../store/records/records.js';
import type { ArtifactStore } from '../../store/store.js';
import type { Outcome } from '../sink.js';
import {
  type Batch,
  type Skipped,
  type TinkerEntry,
  type TinkerTotals,
  tinkerEntrySchema,
} from './ledger.schema.js';

const logOf = (store: ArtifactStore, runId: string) =>
  new AppendLog(store, tinkerEntrySchema, `${keys.sink(runId, 'tinker')}/ledger`);

/** How many batches there are, of how many groups, and how many groups are in none. Cheap, however long the run. */
export async function readTinkerTotals(store: ArtifactStore, runId: string): Promise<TinkerTotals> {
  const last = await logOf(store, runId).last();
  return last?.totals ?? { batches: 0, groups: 0, skipped: 0 };
}

/**
 * What became of each group that was taken from the feed, in one log in the store: its entries are put if absent, so
 * that two executors never decide about a group apart from each other.
 */
export class TinkerLedger {
  readonly batches: Batch[] = [];
  readonly skipped: Skipped[] = [];
  private readonly known = new Map<string, Outcome>();

  private constructor(
    private readonly store: ArtifactStore,
    private readonly runId: string,
    private readonly log: AppendLog<typeof tinkerEntrySchema>,
  ) {}

  static async open(store: ArtifactStore, runId: string): Promise<TinkerLedger> {
    const log = logOf(store, runId);
    const ledger = new TinkerLedger(store, runId, log);
    const numbers = Array.from({ length: await log.length() }, (_, n) => n);
    for await (const { result } of mapBounded(numbers, (n) => log.read(n)))
      if (result !== null) ledger.note(result);
    return ledger;
  }

  /** Null: nothing is decided about it yet. */
  outcomeOf(key: GroupKey): Outcome | null {
    return this.known.get(groupId(key)) ?? null;
  }

  /** False: another executor was first, and its entry is noted instead. Decide anew then. */
  async decide({ batch, skipped, at }: Pick<TinkerEntry, 'batch' | 'skipped' | 'at'>): Promise<boolean> {
    const next = this.log.keyOf(this.batches.length + this.skipped.length);
    const totals = {
      batches: this.batches.length + (batch === null ? 0 : 1),
      groups: this.known.size - this.skipped.length + (batch?.groups.length ?? 0),
      skipped: this.skipped.length + (skipped === null ? 0 : 1),
    };
    const entry = { schemaVersion: 1 as const, batch, skipped, totals, at };
    const { won, value } = await putRecordIfAbsent(this.store, tinkerEntrySchema, next, entry);
    this.note(value);
    return won;
  }

  private note({ batch, skipped }: TinkerEntry): void {
    if (batch !== null) this.batches.push(batch);
    if (skipped !== null) this.skipped.push(skipped);
    for (const group of batch?.groups ?? []) this.known.set(this.idOf(group), 'delivered');
    if (skipped !== null) this.known.set(this.idOf(skipped), 'skipped');
  }

  private idOf({ taskId, index }: Omit<GroupKey, 'runId'>): string {
    return groupId({ runId: this.runId, taskId, index });
  }
}
