import { largest } from '../../core/lists/extremes.js';
import { type Clock, SECOND_MS } from '../../core/time.js';
import { keys } from '../../store/keys.js';
import { readRecord, writeRecord } from '../../store/records/records.js';
import type { ArtifactStore } from '../../store/store.js';
import type { SinkReport } from '../sink.js';
import type { FeedPosition } from './feed-position.js';
import { type Progress, progressSchema } from './progress.schema.js';

/** What a crash costs: so many seconds of deliveries are looked up in the ledger once more. */
const SAVE_MS = 2 * SECOND_MS;

/** How far a sink has come, as its executors left it; null before the first. */
export function readProgress(store: ArtifactStore, runId: string, sink: string): Promise<Progress | null> {
  return readRecord(store, progressSchema, keys.sinkProgress(runId, sink));
}

/** Writes how far a sink has come, soon after it has changed. */
export class ProgressKeeper {
  private timer: NodeJS.Timeout | null = null;
  private saving: Promise<void> = Promise.resolve();
  private lag: number | null;
  private told: Pick<Progress, 'queued' | 'counts' | 'note'>;

  constructor(
    private readonly parts: {
      store: ArtifactStore;
      runId: string;
      sink: string;
      now: Clock;
      position: FeedPosition;
      onTrouble(error: unknown): void;
    },
    before: Progress | null,
  ) {
    const { queued = null, counts = {}, note = null, lag = null } = before ?? {};
    this.lag = lag;
    this.told = { queued, counts, note };
  }

  changed(): void {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.save();
    }, SAVE_MS);
  }

  report(told: SinkReport): void {
    this.told = { ...this.told, ...told };
    this.changed();
  }

  /** Of the group that was read last. */
  noteLag(lags: readonly (number | null)[]): void {
    const known = lags.filter((lag) => lag !== null);
    if (known.length > 0) this.lag = largest(known);
  }

  /** Writes what is not written, at the end of an executor. */
  async flush(): Promise<void> {
    if (this.timer !== null) {
      clearTimeout(this.timer);
      this.timer = null;
      this.save();
    }
    await this.saving;
  }

  private save(): void {
    this.saving = this.saving
      .then(() => this.write())
      .catch((error: unknown) => {
        this.parts.onTrouble(error);
      });
  }

  private async write(): Promise<void> {
    const { store, runId, sink, position, now } = this.parts;
    await writeRecord(store, progressSchema, keys.sinkProgress(runId, sink), {
      schemaVersion: 1,
      ...position.cursor(),
      now: position.tallies,
      read: position.next,
      closed: position.groups,
      lag: this.lag,
      ...this.told,
      at: now(),
    });
  }
}
