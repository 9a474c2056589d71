import type { LongrunError } from '../../core/errors.js';
import type { Usage } from '../../core/rollout/usage.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';

/** One episode to be scored; `id` is the key of its score in the ledger. */
export interface ScoreItem {
  id: string;
  episode: Episode;
}

/** What a reward model gave. Named scores beside the one that counts: criteria of a rubric. */
export interface Score {
  score: number;
  components: Record<string, number>;
  rationale: string | null;
  /** The model that was served, or null. */
  model: string | null;
  usage: Usage | null;
  /** Null when no price is known. */
  costUsd: number | null;
}

/** A score, or why there is none. */
export type ScoreOutcome = { score: Score } | { error: LongrunError };

/** Kept before the next item is begun: what was paid for is never lost. */
export type KeepOutcome = (id: string, outcome: ScoreOutcome) => Promise<void>;

/** A reward model of some kind. */
export interface Scorer {
  /** For people and records: the judge's name, the endpoint's address, the command. */
  readonly name: string;
  /** Everything that a score depends on besides the episode: another one means other scores. */
  readonly identity: string;
  /** The named scores that it gives; null = that is its own business. */
  readonly criteria: readonly string[] | null;
  /**
   * Scores a stream, in any order, each item reported once. Once `signal` is aborted it waits for no retry; calls in
   * the air are finished. Throws what would fail every further item too (a missing key, a refused one), and
   * what `keep` throws.
   */
  scoreAll(items: AsyncIterable<ScoreItem>, keep: KeepOutcome, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
