import { effectiveReward } from '../core/trajectory/effective-reward.js';
import type { Episode } from '../core/trajectory/episode.schema.js';
import type { RewardSource } from '../core/trajectory/reward-signal.schema.js';
import type { ExportContext, ExportFormat, Survey, SurveyContext } from '../formats/export-format.js';
import type { EpisodeInputs } from './files/inputs.js';
import type { RowOutput } from './files/output.js';
import { type ExportCounts, RowWriter } from './files/row-writer.js';
import { toolNames } from './tool-names.js';
import { groupOf, WholeGroups } from './whole-groups.js';

export type { ExportCounts } from './files/row-writer.js';

export interface ExportOptions {
  /** Options of the format. */
  format?: ExportContext['options'];
  /** The order of trust in rewards. */
  rewardOrder?: readonly RewardSource[];
  /** Told of each episode of a first pass. */
  onSurveyed?(): void;
  /** Told of each episode that was read to be written. */
  onEpisode?(episode: Episode): void;
  onWarning?(message: string): void;
}

/**
 * Writes episodes in a format. Where rows depend on all episodes (names of all tools, sizes of groups), the input
 * is read twice. Commits nothing. Errors: those of inputs, output and the format.
 */
export async function exportEpisodes(
  inputs: Pick<EpisodeInputs, 'read'>,
  format: ExportFormat,
  output: RowOutput,
  options: ExportOptions = {},
): Promise<ExportCounts> {
  const known: SurveyContext = {
    rewardOf: (episode) => effectiveReward(episode.rewards, options.rewardOrder),
    options: options.format ?? {},
  };
  const survey = format.survey?.(known) ?? null;
  const seen = await surveyAll(inputs, format, survey, options);
  const context: ExportContext = { ...known, tools: [...seen.tools].sort() };
  const writer = new RowWriter(format, output, survey, context, options.onWarning);
  for await (const episodes of inOrder(inputs, format, survey?.first() ?? [], seen.groups)) {
    await writer.write(episodes);
    for (const episode of episodes) options.onEpisode?.(episode);
  }
  return writer.counts;
}

interface Seen {
  tools: Set<string>;
  groups: Map<string, number>;
}

/** The first pass, for formats that need one. */
async function surveyAll(
  inputs: Pick<EpisodeInputs, 'read'>,
  format: ExportFormat,
  survey: Survey | null,
  { onSurveyed }: ExportOptions,
): Promise<Seen> {
  const seen: Seen = { tools: new Set(), groups: new Map() };
  if (survey === null && format.unit === 'episode' && format.usesTools === false) return seen;
  let index = 0;
  for await (const episode of inputs.read()) {
    survey?.see(episode, index);
    for (const name of toolNames(episode)) seen.tools.add(name);
    if (format.unit === 'group')
      seen.groups.set(groupOf(episode), (seen.groups.get(groupOf(episode)) ?? 0) + 1);
    index += 1;
    onSurveyed?.();
  }
  return seen;
}

/** Episodes one at a time, the surveyed ones first, or whole groups. */
async function* inOrder(
  inputs: Pick<EpisodeInputs, 'read'>,
  format: ExportFormat,
  first: readonly number[],
  groups: ReadonlyMap<string, number>,
): AsyncGenerator<Episode[]> {
  yield* byIndex(inputs, first);
  const gathered = new WholeGroups(groups);
  const done = new Set(first);
  let index = -1;
  for await (const episode of inputs.read()) {
    index += 1;
    if (done.has(index)) continue;
    const ready = format.unit === 'group' ? gathered.add(episode) : [episode];
    if (ready) yield ready;
  }
}

/** The episodes of these indices, in the order of the indices; reads no further than the last of them. */
async function* byIndex(
  inputs: Pick<EpisodeInputs, 'read'>,
  wanted: readonly number[],
): AsyncGenerator<Episode[]> {
  const left = new Set(wanted);
  if (left.size === 0) return;
  const found = new Map<number, Episode>();
  let index = 0;
  for await (const episode of inputs.read()) {
    if (left.delete(index)) found.set(index, episode);
    if (left.size === 0) break;
    index += 1;
  }
  for (const at of wanted) yield [found.get(at) as Episode];
}
