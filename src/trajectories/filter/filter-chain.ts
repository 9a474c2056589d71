import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { EpisodeFilter, FilterName } from './filter.js';

export interface FilterCount {
  name: FilterName;
  /** Rows that met all filters before, and not this one. */
  took: number;
  /** Rows that it would have taken alone; null for filters that go by what came before. */
  alone: number | null;
}

export interface Dropped {
  filter: FilterName;
  reason: string;
}

/** Filters in their order, and how many rows each of them took. */
export class FilterChain {
  readonly counts: FilterCount[];

  constructor(private readonly filters: readonly EpisodeFilter[]) {
    this.counts = filters.map(({ name, remembers }) => ({ name, took: 0, alone: remembers ? null : 0 }));
  }

  /** What the first filter that the episode does not meet says; null = it passes. */
  check(episode: Episode): Dropped | null {
    let dropped: Dropped | null = null;
    for (const [index, filter] of this.filters.entries()) {
      const count = this.counts[index] as FilterCount;
      if (filter.remembers && dropped) continue;
      const reason = filter.check(episode);
      if (reason === null) continue;
      if (count.alone !== null) count.alone += 1;
      if (dropped) continue;
      count.took += 1;
      dropped = { filter: filter.name, reason };
    }
    return dropped;
  }
}
