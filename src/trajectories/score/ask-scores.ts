import type { LongrunError } from '../../core/errors.js';
import { answersOf } from '../../core/reward/tool-calls.js';
import { addUsage, NO_USAGE, type Usage } from '../../core/rollout/usage.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { EpisodeInputs } from '../files/inputs.js';
import type { ScoreBook } from './score-book.js';
import type { ScoreItem, ScoreOutcome, Scorer } from './scorer.js';

/** What asking the reward model came to. */
export interface Asked {
  /** Scored now. */
  scored: number;
  /** Found in the book. */
  reused: number;
  /** Why there is no score, by key. */
  failures: ReadonlyMap<string, LongrunError>;
  /** Of the calls of now. */
  usage: Usage;
  /** Null where a price is not known. */
  costUsd: number | null;
}

export interface AskOptions {
  now: () => number;
  /** Stops handing out episodes; what is in the air is finished. */
  stop: AbortSignal;
  onOutcome?(outcome: ScoreOutcome): void;
}

/** Whether a reward model has anything to judge: an infrastructure failure or a cancellation is never a score. */
export function isScorable(episode: Episode): boolean {
  const { failureClass } = episode.outcome;
  return failureClass !== 'infrastructure' && failureClass !== 'operator' && answersOf(episode).length > 0;
}

/** Asks for every score that the book does not have, each once, and keeps it there. Errors: those that every episode would meet. */
export async function askScores(
  inputs: Pick<EpisodeInputs, 'read'>,
  scorer: Scorer,
  book: ScoreBook,
  options: AskOptions,
): Promise<Asked> {
  const asking = new Asking(book, options, scorer.name);
  await scorer.scoreAll(asking.items(inputs), asking.keep, options.stop);
  return asking.result();
}

class Asking {
  private readonly seen = new Set<string>();
  private readonly sessions = new Map<string, string>();
  private readonly failures = new Map<string, LongrunError>();
  private usage: Usage = NO_USAGE;
  private costUsd: number | null = 0;
  private scored = 0;
  private reused = 0;

  constructor(
    private readonly book: ScoreBook,
    private readonly options: AskOptions,
    private readonly scorerName: string,
  ) {}

  /** What is not in the book, and not asked for already: equal rows are paid for once. */
  async *items(inputs: Pick<EpisodeInputs, 'read'>): AsyncGenerator<ScoreItem> {
    for await (const episode of inputs.read()) {
      if (this.options.stop.aborted) return;
      if (!isScorable(episode)) continue;
      const id = this.book.keyOf(episode);
      if (this.seen.has(id)) continue;
      this.seen.add(id);
      if (this.book.get(id) !== null) {
        this.reused += 1;
        continue;
      }
      this.sessions.set(id, episode.sessionId);
      yield { id, episode };
    }
  }

  readonly keep = async (id: string, outcome: ScoreOutcome): Promise<void> => {
    if ('error' in outcome) this.failures.set(id, outcome.error);
    else await this.put(id, outcome.score);
    this.sessions.delete(id);
    this.options.onOutcome?.(outcome);
  };

  result(): Asked {
    const { scored, reused, failures, usage, costUsd } = this;
    return { scored, reused, failures, usage, costUsd };
  }

  private async put(id: string, score: Extract<ScoreOutcome, { score: unknown }>['score']): Promise<void> {
    const { components, rationale, usage, costUsd } = score;
    await this.book.put(id, {
      schemaVersion: 1,
      sessionId: this.sessions.get(id) ?? '',
      by: score.model ?? this.scorerName,
      at: this.options.now(),
      score: score.score,
      components,
      rationale,
      usage,
      costUsd,
    });
    this.scored += 1;
    this.costUsd = this.costUsd === null || costUsd === null ? null : this.costUsd + costUsd;
    if (usage !== null) this.usage = addUsage(this.usage, usage);
  }
}
