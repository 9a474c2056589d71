import { conversationDigest } from '../digest.js';
import type { EpisodeFilter } from './filter.js';

/** 128 bits tell conversations apart, at half the memory. */
const KEPT_DIGITS = 32;

/** Of conversations that read the same, the first stays. Memory grows by a digest a row. */
export function dedupe(): EpisodeFilter {
  const seen = new Set<string>();
  return {
    name: 'dedupe',
    remembers: true,
    check: (episode) => {
      const digest = conversationDigest(episode).slice(0, KEPT_DIGITS);
      if (seen.has(digest)) return 'reads the same as an earlier row';
      seen.add(digest);
      return null;
    },
  };
}
