import type { Episode } from '../../../src/core/trajectory/episode.schema.js';
import type { ScoreItem, ScoreOutcome, Scorer } from '../../../src/trajectories/score/scorer.js';

/** `item-0`, `item-1`, … */
export function items(episodes: readonly Episode[]): ScoreItem[] {
  return episodes.map((episode, i) => ({
    id: `item-${i}`,
    episode: { ...episode, sessionId: `run__task__${i}` },
  }));
}

/** What a scorer says of these, by id; it is closed afterwards. */
export async function outcomesOf(
  scorer: Scorer,
  some: readonly ScoreItem[],
): Promise<Map<string, ScoreOutcome>> {
  const found = new Map<string, ScoreOutcome>();
  const keep = async (id: string, outcome: ScoreOutcome): Promise<void> => {
    if (found.has(id)) throw new Error(`${id} was reported twice`);
    found.set(id, outcome);
  };
  try {
    await scorer.scoreAll(stream(some), keep, new AbortController().signal);
    return found;
  } finally {
    await scorer.close();
  }
}

async function* stream(some: readonly ScoreItem[]): AsyncGenerator<ScoreItem> {
  yield* some;
}
