import { parseRolloutId, type RolloutKey } from '../core/ids.js';
import type { RolloutResult } from '../store/records/records.schema.js';
import { readResolutions, readRunReplayResults } from '../store/replays.js';
import type { ArtifactStore } from '../store/store.js';
import { standingOf } from './review-state.js';
import type { RunDocument } from './summary.js';

/** What happened to a run's rollouts after they were sealed: replays that do not count, decisions of people. */
export async function readLaterChanges(
  store: ArtifactStore,
  runId: string,
  rollouts: readonly RolloutResult[],
): Promise<Pick<RunDocument, 'replays' | 'reviews'>> {
  const counting = new Set(rollouts.map(({ rolloutId, attempt }) => `${rolloutId}/${attempt}`));
  const all = await readRunReplayResults(store, runId);
  const replays = all.filter(({ rolloutId, attempt }) => !counting.has(`${rolloutId}/${attempt}`));
  const reviews: NonNullable<RunDocument['reviews']> = [];
  for (const result of rollouts.filter(({ queueState }) => queueState === 'needs_human_review')) {
    const { rolloutId } = result;
    const { resolution } = standingOf(
      result,
      await readResolutions(store, parseRolloutId(rolloutId) as RolloutKey),
    );
    if (resolution !== null) reviews.push({ rolloutId, resolution });
  }
  return { replays, reviews };
}
