import type { z } from 'zod';
import { putRecordIfAbsent, readRecord } from './records/records.js';
import type { ArtifactStore } from './store.js';

/**
 * A log that only grows, numbered from 0 without gaps: entries are put if absent under the next number, so that
 * several writers never lose one of another's. Reading on costs one `get`, whatever its length.
 */
export class AppendLog<S extends z.ZodType> {
  constructor(
    private readonly store: ArtifactStore,
    private readonly schema: S,
    readonly prefix: string,
    /** Every number below it is taken, as far as is known: where its end is looked for. */
    private known = 0,
  ) {}

  keyOf(n: number): string {
    return `${this.prefix}/${String(n).padStart(8, '0')}.json`;
  }

  /** Null where it ends. */
  read(n: number): Promise<z.output<S> | null> {
    return readRecord(this.store, this.schema, this.keyOf(n));
  }

  /** How many entries it has: doubling steps, then halving, from where it was last seen. */
  async length(): Promise<number> {
    const has = (n: number) => this.store.has(this.keyOf(n));
    let step = 1;
    let low = this.known;
    while (await has(low + step - 1)) {
      low += step;
      step *= 2;
    }
    // The entry `low + step - 1` is not there; all below `low` are.
    let high = low + step - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (await has(middle)) low = middle + 1;
      else high = middle;
    }
    this.known = low;
    return low;
  }

  /** Answers the number that the entry got. */
  async append(entry: z.input<S>): Promise<number> {
    for (let n = await this.length(); ; n++) if (await this.appendAt(n, entry)) return n;
  }

  /**
   * Appends only where the log has exactly `n` entries; else answers false: for writers who have read all of them and
   * decide anew when there are more.
   */
  async appendAt(n: number, entry: z.input<S>): Promise<boolean> {
    const { won } = await putRecordIfAbsent(this.store, this.schema, this.keyOf(n), entry);
    if (won) this.known = n + 1;
    return won;
  }

  /** The newest entry; null when it is empty. */
  async last(): Promise<z.output<S> | null> {
    const length = await this.length();
    return length === 0 ? null : this.read(length - 1);
  }
}
