import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { EpisodeInputs } from '../files/inputs.js';
import type { RowOutput } from '../files/output.js';
import { episodeLine } from '../longrun-format.js';
import { mapOrdered } from '../map-ordered.js';
import { type CompressedEpisode, type CompressOptions, compressEpisode } from './compress-episode.js';

/** Where the originals of compressed rows go, beside the output. */
export const ORIGINALS_FILE = '.originals.jsonl';

export interface CompressRunOptions extends CompressOptions {
  /** Summaries under way at once. */
  concurrency: number;
  /** Originals of compressed rows are written beside the output. */
  keepOriginals: boolean;
  onEpisode?(episode: Episode): void;
}

export interface CompressReport {
  read: number;
  /** Within the target as they were. */
  unchanged: number;
  compressed: number;
  /** Over the target, as they were: nothing may go, or they are compressed already. */
  kept: number;
  /** As they were, because no summary could be had. */
  failed: number;
  /** Of all rows. */
  stillOverLimit: number;
  /** Of the rows that were compressed. */
  tokensBefore: number;
  tokensAfter: number;
}

interface Pair {
  original: Episode;
  made: CompressedEpisode;
}

/** Compresses a stream of episodes, every row written, in order. Commits nothing. Errors: those of inputs, output and `compressEpisode`. */
export async function compressEpisodes(
  inputs: Pick<EpisodeInputs, 'read'>,
  output: RowOutput,
  options: CompressRunOptions,
): Promise<CompressReport> {
  const report: CompressReport = {
    ...{ read: 0, unchanged: 0, compressed: 0, kept: 0, failed: 0 },
    ...{ stillOverLimit: 0, tokensBefore: 0, tokensAfter: 0 },
  };
  const compress = async (original: Episode): Promise<Pair> => ({
    original,
    made: await compressEpisode(original, options),
  });
  for await (const { original, made } of mapOrdered(inputs.read(), compress, options.concurrency)) {
    const { episode, state } = made;
    await output.write(episodeLine(episode));
    if (state === 'compressed' && options.keepOriginals)
      await output.beside(ORIGINALS_FILE).write(episodeLine(original));
    count(report, made);
    options.onEpisode?.(episode);
  }
  return report;
}

function count(report: CompressReport, { episode: { compressed }, state }: CompressedEpisode): void {
  report.read += 1;
  report[state] += 1;
  if (state === 'unchanged') return;
  if (compressed?.stillOverLimit) report.stillOverLimit += 1;
  if (state !== 'compressed' || compressed === null) return;
  report.tokensBefore += compressed.originalTokens;
  report.tokensAfter += compressed.compressedTokens;
}
