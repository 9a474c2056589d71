import type { Episode } from '../../core/trajectory/episode.schema.js';
import { fromWire, toWire } from '../../store/wire/wire.js';
import { conversationDigest, sha256 } from '../digest.js';
import { Ledger } from '../files/ledger.js';
import { type KeptScore, keptScoreSchema } from './kept-score.schema.js';

/** The scores of one reward model that were paid for already, by what was scored; on disk before the next call. */
export class ScoreBook {
  private readonly waiting: { key: string; value: unknown }[] = [];
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly ledger: Ledger<unknown>,
    private readonly scorer: string,
  ) {}

  /** `identity`: of the reward model; another one finds nothing of this one's. */
  static async open(path: string, identity: string): Promise<ScoreBook> {
    return new ScoreBook(await Ledger.open<unknown>(path), sha256(identity).slice(0, 16));
  }

  /** Of an episode: session, what was said in it, reward model. Rewards and ids do not matter. */
  keyOf(episode: Episode): string {
    return `${episode.sessionId}:${conversationDigest(episode).slice(0, 32)}:${this.scorer}`;
  }

  /** Null where there is no score, or one that this version cannot read. */
  get(key: string): KeptScore | null {
    const kept = this.ledger.get(key);
    if (kept === undefined) return null;
    try {
      return fromWire(keptScoreSchema, kept, key);
    } catch {
      return null;
    }
  }

  /** Scores that come while others are being written go to disk together: a sync each would be slower than a local model. */
  async put(key: string, score: KeptScore): Promise<void> {
    this.waiting.push({ key, value: toWire(keptScoreSchema, score, key) });
    this.writing = this.writing.then(async () => this.ledger.putAll(this.waiting.splice(0)));
    await this.writing;
  }

  async close(): Promise<void> {
    await this.ledger.close();
  }
}
