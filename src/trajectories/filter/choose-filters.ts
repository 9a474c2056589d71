import type { Episode } from '../../core/trajectory/episode.schema.js';
import { ArgumentChecker } from './argument-checker.js';
import { boundFilters } from './bounds.js';
import { callsFilter } from './calls.js';
import { complete } from './complete.js';
import { compression } from './compression.js';
import { dedupe } from './dedupe.js';
import { type EpisodeFilter, FILTER_NAMES } from './filter.js';
import type { FilterOptions } from './options.js';

/** The filters that were asked for and those that always apply, in order. `drawn`: see `sampleFilter`. */
export function chooseFilters(
  options: FilterOptions,
  hooks: {
    onUnchecked?(episode: Episode): void;
    checker?: ArgumentChecker;
    drawn?: ReadonlySet<number> | null;
  } = {},
): EpisodeFilter[] {
  const { checker = new ArgumentChecker(), onUnchecked, drawn } = hooks;
  const recovery = options.goal === 'failure-recovery';
  const filters = [
    ...(recovery ? [] : [complete]),
    callsFilter({
      allowCutShort: recovery,
      allowRefused: recovery || options.allowRefusedCalls,
      checker,
      ...(onUnchecked && { onUnchecked }),
    }),
    compression,
    ...boundFilters(options),
    ...(options.dedupe ? [dedupe()] : []),
    ...(drawn ? [sampleFilter(drawn)] : []),
  ];
  return filters.sort((a, b) => FILTER_NAMES.indexOf(a.name) - FILTER_NAMES.indexOf(b.name));
}

/** Keeps those that were drawn, counted among the rows that met all other filters. */
function sampleFilter(drawn: ReadonlySet<number>): EpisodeFilter {
  let index = -1;
  return {
    name: 'sample',
    remembers: true,
    check: () => {
      index += 1;
      return drawn.has(index) ? null : 'not drawn';
    },
  };
}
