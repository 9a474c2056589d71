import { LongrunError } from '../../core/errors.js';
import { AppendLog } from '../../store/append-log.js';
import { keys } from '../../store/keys.js';
import type { ArtifactStore } from '../../store/store.js';
import { type Claim, claimSchema } from './claim.schema.js';

/**
 * The right to act for a sink, until a newer executor takes it: several at once are routine (a frozen process, a
 * partition), and the older ones must not speak to the peer any more.
 */
export class SinkClaim {
  private constructor(
    private readonly log: AppendLog<typeof claimSchema>,
    private readonly number: number,
  ) {}

  /** Throws `fenced` when executors of a newer incarnation of the run have begun. */
  static async take(
    store: ArtifactStore,
    { runId, sink }: { runId: string; sink: string },
    claim: Omit<Claim, 'schemaVersion'>,
  ): Promise<SinkClaim> {
    const log = new AppendLog(store, claimSchema, keys.sinkClaims(runId, sink));
    for (let n = await log.length(); ; n++) {
      const before = n === 0 ? null : await log.read(n - 1);
      if (before !== null && before.incarnation > claim.incarnation)
        throw fenced(`${sink} of ${runId} belongs to incarnation ${before.incarnation} of the run`);
      if (await log.appendAt(n, { schemaVersion: 1, ...claim })) return new SinkClaim(log, n);
    }
  }

  /** Throws `fenced` when a newer executor has begun. One `get`. */
  async check(): Promise<void> {
    const newer = await this.log.read(this.number + 1);
    if (newer !== null) throw fenced(`${this.log.prefix}/${this.number} gives way to a newer executor`);
  }
}

/** The newest claim of a sink; null before the first executor. */
export function newestClaim(store: ArtifactStore, runId: string, sink: string): Promise<Claim | null> {
  return new AppendLog(store, claimSchema, keys.sinkClaims(runId, sink)).last();
}

const fenced = (message: string): LongrunError => new LongrunError('fenced', message);
