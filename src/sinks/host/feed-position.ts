import type { Outcome } from '../sink.js';
import type { FeedCursor, Tallies } from './progress.schema.js';
import { SeenNumbers } from './seen-numbers.js';

/** An entry of the feed after the cursor; `outcome` null = the sink is not done with it. */
interface OpenEntry {
  /** Null for a group that stood in the feed before. */
  number: number | null;
  outcome: Outcome | null;
  masked: number;
}

export const START: FeedCursor = {
  position: 0,
  below: 0,
  above: [],
  settled: { delivered: 0, parked: 0, skipped: 0, masked: 0 },
};

/**
 * Where a reader stands in the feed: which groups it has had, and up to which entry it is done with all of them.
 * That is its cursor, and an executor that goes on from it counts nothing twice. Memory is as large as what lies
 * between the oldest group that is not done and the newest.
 */
export class FeedPosition {
  private readonly had: SeenNumbers;
  private readonly settledNumbers: SeenNumbers;
  private readonly settled: Tallies;
  private readonly all: Tallies;
  private position: number;
  private entries: OpenEntry[] = [];
  private readonly open = new Map<number, OpenEntry>();

  constructor({ position, below, above, settled }: FeedCursor = START) {
    this.position = position;
    this.had = new SeenNumbers(below, above);
    this.settledNumbers = new SeenNumbers(below, above);
    this.settled = { ...settled };
    this.all = { ...settled };
  }

  /** Number of the entry to be read next. */
  get next(): number {
    return this.position + this.entries.length;
  }

  /** Different groups in the entries that were read, by this executor or earlier ones. */
  get groups(): number {
    return this.had.size;
  }

  get tallies(): Tallies {
    return { ...this.all };
  }

  /** Notes the next entry; false when its group was there before. */
  read(number: number): boolean {
    const fresh = this.had.add(number);
    const entry: OpenEntry = { number: fresh ? number : null, outcome: null, masked: 0 };
    this.entries.push(entry);
    if (fresh) this.open.set(number, entry);
    else this.fold();
    return fresh;
  }

  /** The sink is done with a group. False when it was before. */
  settle(number: number, outcome: Outcome, masked: number): boolean {
    const entry = this.open.get(number);
    if (entry === undefined) return false;
    this.open.delete(number);
    entry.outcome = outcome;
    entry.masked = masked;
    add(this.all, outcome, masked);
    this.fold();
    return true;
  }

  cursor(): FeedCursor {
    return { position: this.position, ...this.settledNumbers.snapshot(), settled: { ...this.settled } };
  }

  /** Moves the cursor over what is done. */
  private fold(): void {
    let done = 0;
    for (const { number, outcome, masked } of this.entries) {
      if (number !== null && outcome === null) break;
      if (number !== null && outcome !== null) {
        this.settledNumbers.add(number);
        add(this.settled, outcome, masked);
      }
      done += 1;
    }
    if (done === 0) return;
    this.entries = this.entries.slice(done);
    this.position += done;
  }
}

function add(tallies: Tallies, outcome: Outcome, masked: number): void {
  tallies[outcome] += 1;
  if (outcome === 'delivered') tallies.masked += masked;
}
