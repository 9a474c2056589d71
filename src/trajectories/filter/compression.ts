import type { Compression, Episode } from '../../core/trajectory/episode.schema.js';
import type { EpisodeFilter } from './filter.js';

/** Compressed rows that lost what they had to keep go: initial task, key turns, the end. */
export const compression: EpisodeFilter = {
  name: 'compression',
  check: (episode) => {
    const { compressed } = episode;
    if (compressed === null || compressed.summarisedTurns === null) return null;
    return missing(episode, compressed);
  },
};

function missing({ trajectory, turns }: Episode, compressed: Compression): string | null {
  const { keptTurns, keyTurns, originalTurns, summarisedTurns } = compressed;
  const messages = trajectory.timesteps.flatMap(({ chats }) => chats.flatMap((chat) => chat.messages));
  const task = messages.findIndex(({ role, label }) => role === 'user' && label !== 'summary');
  const summaries = messages.flatMap(({ label }, at) => (label === 'summary' ? [at] : []));
  const [first = 0, last = 0] = summarisedTurns ?? [];
  const lost = keyTurns.find((turn) => !keptTurns.includes(turn));
  if (keptTurns.length !== trajectory.timesteps.length)
    return `${trajectory.timesteps.length} turns are left, the row says ${keptTurns.length}`;
  if (task < 0) return 'the initial task is missing';
  if (summaries.length !== 1) return `${summaries.length} summaries stand for what was left out, not one`;
  if ((summaries[0] as number) < task) return 'the summary stands before the initial task';
  if (lost !== undefined) return `key turn ${lost + 1} is missing`;
  if (originalTurns !== null && keptTurns.at(-1) !== originalTurns - 1) return 'the final outcome is missing';
  if (keptTurns.includes(first) || keptTurns.includes(last)) return 'a turn is both left out and kept';
  if (turns.some(({ promptTokenIds, completionTokenIds }) => promptTokenIds ?? completionTokenIds))
    return 'it has token ids of a conversation that was never sampled like this';
  return null;
}
