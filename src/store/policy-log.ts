import type { Clock } from '../core/time.js';
import { AppendLog } from './append-log.js';
import { keys } from './keys.js';
import { mapBounded } from './map-bounded.js';
import { type Policy, policySchema } from './records/serve.schema.js';
import type { ArtifactStore } from './store.js';

/** What a teller says of the weights; what it leaves out stays as the newest entry has it. */
export type ToldPolicy = Pick<Policy, 'version' | 'source'> & Partial<Pick<Policy, 'model' | 'baseUrl'>>;

/** So many older entries are read at once when a version is looked for. */
const LOOK_BACK = 64;

/**
 * The versions of a run's policy, oldest first. Any process may tell of one; each reads the log on from where it
 * was, one `get` when nothing is new, and looks back only as far as a version is old.
 */
export class PolicyLog {
  private readonly log: AppendLog<typeof policySchema>;
  /** Entries `first` to `next − 1` are known. */
  private first = 0;
  private next: number | null = null;
  /** The newest entry of each known version. */
  private readonly numbers = new Map<string, number>();
  private newest: Policy | null = null;
  private lastTold: Policy | null = null;
  private readAt = Number.NEGATIVE_INFINITY;
  private work: Promise<unknown> = Promise.resolve();

  constructor(
    store: ArtifactStore,
    runId: string,
    private readonly now: Clock,
  ) {
    this.log = new AppendLog(store, policySchema, keys.policies(runId));
  }

  /** The newest entry, not older than `maxAgeMs`; null before anybody told of one. */
  async latest(maxAgeMs = 0): Promise<Policy | null> {
    if (this.next !== null && this.now() - this.readAt <= maxAgeMs) return this.newest;
    return await this.alone(async () => {
      await this.readOn();
      return this.newest;
    });
  }

  /**
   * Appends what is new. A trainer that says the same again changes nothing, nor does a version that an endpoint was
   * seen with before: its answers arrive out of order.
   */
  tell({ version, source, model, baseUrl }: ToldPolicy): Promise<void> {
    return this.alone(async () => {
      for (;;) {
        const length = await this.readOn();
        const entry: Policy = {
          schemaVersion: 1,
          version,
          source,
          model: model === undefined ? (this.newest?.model ?? null) : model,
          baseUrl: baseUrl === undefined ? (this.newest?.baseUrl ?? null) : baseUrl,
          at: this.now(),
        };
        const known =
          source === 'endpoint'
            ? (await this.numberOf(version)) !== null
            : same(entry, this.newest) || same(entry, this.lastTold);
        if (source !== 'endpoint') this.lastTold = entry;
        if (known) return;
        if (!(await this.log.appendAt(length, entry))) continue;
        this.note(entry, length);
        return;
      }
    });
  }

  /** Of each of these versions, how many have come since; null for one that nobody told of. */
  lagsOf(versions: readonly (string | null)[]): Promise<(number | null)[]> {
    return this.alone(async () => {
      const length = await this.readOn();
      const lags: (number | null)[] = [];
      for (const version of versions) {
        const number = version === null ? null : await this.numberOf(version);
        lags.push(number === null ? null : length - 1 - number);
      }
      return lags;
    });
  }

  /** Reads what was told since; answers how many entries there are. */
  private async readOn(): Promise<number> {
    const at = this.now();
    if (this.next === null) {
      this.next = await this.log.length();
      this.first = this.next;
      if (this.next > 0) await this.lookBack(1);
    }
    for (let n = this.next; ; n++) {
      const entry = await this.log.read(n);
      if (entry === null) break;
      this.note(entry, n);
    }
    this.readAt = at;
    return this.next;
  }

  private note(entry: Policy, n: number): void {
    this.numbers.set(entry.version, n);
    this.newest = entry;
    this.next = n + 1;
  }

  private async numberOf(version: string): Promise<number | null> {
    while (!this.numbers.has(version) && this.first > 0) await this.lookBack(LOOK_BACK);
    return this.numbers.get(version) ?? null;
  }

  /** Reads the entries before those that are known. */
  private async lookBack(count: number): Promise<void> {
    const from = Math.max(0, this.first - count);
    const wanted = Array.from({ length: this.first - from }, (_, i) => from + i);
    for await (const { item, result } of mapBounded(wanted, (n) => this.log.read(n))) {
      if (result === null) continue;
      // In order, so that of a version told twice the newer number stays.
      if ((this.numbers.get(result.version) ?? -1) < item) this.numbers.set(result.version, item);
      if (this.newest === null && item === this.first - 1) this.newest = result;
    }
    this.first = from;
  }

  /** One at a time: each goes on from what the one before has read. */
  private alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.work.then(work);
    this.work = done.catch(() => undefined);
    return done;
  }
}

function same(entry: Policy, other: Policy | null): boolean {
  return (
    other !== null &&
    entry.version === other.version &&
    entry.model === other.model &&
    entry.baseUrl === other.baseUrl
  );
}
