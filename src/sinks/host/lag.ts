import type { Episode } from '../../core/trajectory/episode.schema.js';

/** The version of the weights that a rollout began with; null where nobody said. */
export const firstVersion = ({ turns }: Episode): string | null => turns[0]?.policyVersion ?? null;

/** The versions of these rollouts, each once, in the order in which they sampled. */
export function versionsInOrder(episodes: readonly Episode[]): string[] {
  const turns = episodes.flatMap((episode) => episode.turns);
  const ordered = turns.toSorted((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0));
  return [...new Set(ordered.flatMap(({ policyVersion }) => policyVersion ?? []))];
}

/**
 * The rollouts as trainers get them: of those that began more than `maxLag` versions ago every turn is masked. They
 * stay in their group, and so in its baseline. Where nobody knows how old one is, it is taken for fresh.
 */
export function maskStale(
  episodes: readonly Episode[],
  lags: readonly (number | null)[],
  maxLag: number | null,
): { episodes: Episode[]; masked: number } {
  const stale = (i: number): boolean => maxLag !== null && (lags[i] ?? 0) > maxLag;
  return {
    episodes: episodes.map((episode, i) => (stale(i) ? masked(episode) : episode)),
    masked: episodes.filter((_, i) => stale(i)).length,
  };
}

function masked(episode: Episode): Episode {
  return { ...episode, turns: episode.turns.map((turn) => ({ ...turn, masked: true })) };
}
