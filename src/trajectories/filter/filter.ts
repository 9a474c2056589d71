import type { Episode } from '../../core/trajectory/episode.schema.js';

/** One rule that an episode has to meet. */
export interface EpisodeFilter {
  name: FilterName;
  /** Why the episode is dropped; null = it stays. */
  check(episode: Episode): string | null;
  /** Goes by what it let through before: asked only about episodes that everything before it lets through. */
  remembers?: true;
}

/** In the order in which they are applied. */
export const FILTER_NAMES = [
  'complete',
  'calls',
  'compression',
  'stop_reason',
  'reward',
  'turns',
  'tool_calls',
  'reasoning',
  'tokens',
  'dedupe',
  'sample',
] as const;
export type FilterName = (typeof FILTER_NAMES)[number];
