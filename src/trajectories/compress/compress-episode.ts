import { largest, smallest } from '../../core/lists/extremes.js';
import type { Compression, Episode } from '../../core/trajectory/episode.schema.js';
import type { TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { episodeDigest } from '../digest.js';
import { failsEveryItem } from '../score/with-retries.js';
import { withoutTurns } from './apply.js';
import { type CountTokens, episodeTokens, messagesTokens } from './count-tokens.js';
import { keyTurns } from './key-turns.js';
import { planRemoval } from './plan.js';
import type { Summariser } from './summariser.js';
import { summaryMessage } from './summary-message.js';
import { type Turn, textOf, turnsOf, unitsOf } from './turns.js';

/** Room for the heading and a few words. */
const LEAST_SUMMARY_TOKENS = 64;

export interface CompressOptions {
  targetTokens: number;
  /** The most that a summary may take; no more than a quarter of the target in any case. */
  summaryTokens: number;
  count: CountTokens;
  summariser: Summariser;
}

/** `unchanged`: within the target. `kept`: over it, and nothing may go. `failed`: no summary could be had. */
export type CompressState = 'unchanged' | 'compressed' | 'kept' | 'failed';

export interface CompressedEpisode {
  episode: Episode;
  state: CompressState;
}

/**
 * Makes an episode fit the target by putting one summary in the place of its middle. What must stay stays even
 * where the target is missed, which is marked. In all other cases the row is as it was, and marked
 * where it is over the target. Errors: those of the summariser that
 * every other row would meet as well, and cancellation.
 */
export async function compressEpisode(
  episode: Episode,
  options: CompressOptions,
): Promise<CompressedEpisode> {
  const tokens = episodeTokens(episode, options.count);
  if (tokens <= options.targetTokens) return { episode, state: 'unchanged' };
  // A summary of a summary would stand for turns that nobody can count any more.
  if (episode.compressed && episode.compressed.summarisedTurns !== null)
    return asItWas(episode, episode.compressed, 'kept');
  const turns = turnsOf(episode);
  const key = keyTurns(turns);
  const facts = factsOf(episode, tokens, key);
  const summaryTokens = Math.max(
    LEAST_SUMMARY_TOKENS,
    Math.min(options.summaryTokens, Math.ceil(options.targetTokens / 4)),
  );
  const removed = turnsToRemove(turns, key, { ...options, summaryTokens }, tokens);
  if (removed.length === 0) return asItWas(episode, facts, 'kept');
  const summary = await summaryOf(turns, removed, { ...options, summaryTokens });
  if (typeof summary === 'string') return asItWas(episode, { ...facts, failed: summary }, 'failed');
  return { episode: replaced(episode, turns, { removed, summary, facts, options }), state: 'compressed' };
}

function turnsToRemove(
  turns: readonly Turn[],
  key: ReadonlySet<number>,
  { count, targetTokens, summaryTokens }: CompressOptions,
  totalTokens: number,
): number[] {
  const units = unitsOf(turns);
  const removed = planRemoval({
    ...{ totalTokens, targetTokens, summaryTokens },
    units: units.map((unit) => ({
      tokens: unit.reduce((sum, { work }) => sum + messagesTokens(work, count), 0),
      key: unit.some(({ index }) => key.has(index)),
    })),
  });
  return removed.flatMap((unit) => (units[unit] ?? []).map(({ index }) => index));
}

/** The message, or why there is none. */
async function summaryOf(
  turns: readonly Turn[],
  removed: readonly number[],
  { summariser, summaryTokens: maxTokens, count }: CompressOptions,
): Promise<TrajectoryMessage | string> {
  const gone = turns.filter(({ index }) => removed.includes(index));
  try {
    const text = await summariser.summarise({ task: taskOf(turns), turns: gone, maxTokens });
    return summaryMessage(text, removed.length, { maxTokens, count }) ?? 'the summary is empty';
  } catch (error) {
    if (failsEveryItem(error)) throw error;
    return (error as Error).message;
  }
}

interface Replacement {
  removed: readonly number[];
  summary: TrajectoryMessage;
  facts: Compression;
  options: CompressOptions;
}

function replaced(episode: Episode, turns: readonly Turn[], replacement: Replacement): Episode {
  const { removed, summary, facts, options } = replacement;
  const gone = new Set(removed);
  const shorter = { ...episode, ...withoutTurns(episode, turns, gone, summary) };
  const compressedTokens = episodeTokens(shorter, options.count);
  const compressed: Compression = {
    ...facts,
    compressedTokens,
    summarisedTurns: [smallest(removed), largest(removed)],
    summary: options.summariser.kind,
    stillOverLimit: compressedTokens > options.targetTokens,
    keptTurns: facts.keptTurns.filter((index) => !gone.has(index)),
  };
  return { ...shorter, compressed };
}

function asItWas(episode: Episode, compressed: Compression, state: 'kept' | 'failed'): CompressedEpisode {
  return { episode: { ...episode, compressed: { ...compressed, stillOverLimit: true } }, state };
}

/** What is known before anything is replaced. */
function factsOf(episode: Episode, tokens: number, key: ReadonlySet<number>): Compression {
  return {
    originalTokens: tokens,
    compressedTokens: tokens,
    summarisedTurns: null,
    summary: null,
    stillOverLimit: true,
    failed: null,
    keptTurns: episode.trajectory.timesteps.map((_, index) => index),
    keyTurns: [...key].sort((a, b) => a - b),
    originalTurns: episode.trajectory.timesteps.length,
    original: { digest: episodeDigest(episode), sessionId: episode.sessionId },
  };
}

/** The first thing that a user said. */
function taskOf(turns: readonly Turn[]): string {
  const first = turns.flatMap(({ instructions }) => instructions).find(({ role }) => role === 'user');
  return first ? textOf(first) : '';
}
