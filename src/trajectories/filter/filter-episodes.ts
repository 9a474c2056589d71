import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { EpisodeInputs } from '../files/inputs.js';
import type { RowOutput } from '../files/output.js';
import { episodeLine } from '../longrun-format.js';
import { ArgumentChecker } from './argument-checker.js';
import { chooseFilters } from './choose-filters.js';
import { type Dropped, FilterChain, type FilterCount } from './filter-chain.js';
import type { FilterOptions } from './options.js';
import { Reservoir } from './reservoir.js';

/** Where episodes go that did not come to their end, beside the output. */
export const FAILED_FILE = 'failed_trajectories.jsonl';

export interface FilterReport {
  read: number;
  kept: number;
  /** Written to `failed_trajectories.jsonl`. */
  failed: number;
  /** Written to `<output>.rejected.jsonl` with their reasons. */
  rejected: number;
  filters: FilterCount[];
  /** Rows with calls that name no tools: neither names nor arguments could be checked. */
  withoutTools: number;
  /** Tools whose schema cannot be compiled, by name: their arguments are not checked. */
  uncheckable: Record<string, string>;
}

/**
 * Writes the episodes that meet all filters, the others apart: those that were not completed, and the rest with
 * reasons. With a sample the input is read twice. Commits nothing. Errors: those of inputs and output.
 */
export async function filterEpisodes(
  inputs: Pick<EpisodeInputs, 'read'>,
  options: FilterOptions,
  output: RowOutput,
  onEpisode?: (episode: Episode) => void,
): Promise<FilterReport> {
  const checker = new ArgumentChecker();
  const report = { read: 0, kept: 0, failed: 0, rejected: 0, withoutTools: 0 };
  const drawn = await draw(inputs, options);
  const onUnchecked = (): void => {
    report.withoutTools += 1;
  };
  const chain = new FilterChain(chooseFilters(options, { onUnchecked, checker, drawn }));
  // Where nothing is kept there is an empty file, so that what comes next finds one.
  await output.beside(null).append('');
  for await (const episode of inputs.read()) {
    report.read += 1;
    const dropped = chain.check(episode);
    if (dropped === null) report.kept += 1;
    else if (episode.outcome.completed) report.rejected += 1;
    else report.failed += 1;
    await write(episode, dropped, output);
    onEpisode?.(episode);
  }
  return { ...report, filters: chain.counts, uncheckable: Object.fromEntries(checker.uncheckable) };
}

/** A first pass that only counts what the other filters let through. */
async function draw(
  inputs: Pick<EpisodeInputs, 'read'>,
  options: FilterOptions,
): Promise<ReadonlySet<number> | null> {
  if (options.sample === null) return null;
  const reservoir = new Reservoir(options.sample.count, options.sample.seed);
  const chain = new FilterChain(chooseFilters(options));
  for await (const episode of inputs.read()) if (chain.check(episode) === null) reservoir.pass();
  return reservoir.result();
}

async function write(episode: Episode, dropped: Dropped | null, output: RowOutput): Promise<void> {
  if (dropped === null) return output.write(episodeLine(episode));
  if (!episode.outcome.completed) {
    const metadata = { ...episode.metadata, filtered_out: dropped };
    return output.beside(FAILED_FILE).write(episodeLine({ ...episode, metadata }));
  }
  const { filter, reason } = dropped;
  const row = JSON.stringify({ session_id: episode.sessionId, filter, reason });
  await output.beside('.rejected.jsonl').write(`${row.slice(0, -1)},"row":${episodeLine(episode)}}`);
}
