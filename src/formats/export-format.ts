import type { Episode } from '../core/trajectory/episode.schema.js';

export const EXPORT_FORMATS = [
  'longrun',
  'sharegpt',
  'atropos-v1',
  'atropos-group',
  'tinker',
  'atif',
  'messages',
] as const;
export type ExportFormatName = (typeof EXPORT_FORMATS)[number];

/** What all rows of one export share. */
export interface ExportContext {
  /** Every tool name of the input, sorted: maps per tool are padded to it, so that all rows have the same keys. */
  tools: readonly string[];
  /** The reward of an episode that counts. */
  rewardOf(episode: Episode): number | null;
  /** Options of the command that only some formats look at (`variant`, `merged`, `keepZeroVariance`, …). */
  options: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** One row, a plain JSON value (numbers that must keep a decimal point as `Float`). */
export interface ExportRow {
  /**
   * Which of the export's files it goes to: null = the output that was named; `failed_trajectories.jsonl`
   * = that name beside it; `.traj.jsonl` (a leading dot) = the output's own name with this ending instead.
   */
  file: string | null;
  value: unknown;
}

/** An episode that the format cannot carry, or must not. */
export interface Refusal {
  sessionId: string;
  code: string;
  reason: string;
}

/** One exchange format, as a pure view of episodes. */
export interface ExportFormat {
  name: ExportFormatName;
  /** `group`: `rows` is given all episodes of a group at once, by sample; else one at a time. */
  unit: 'episode' | 'group';
  /** `lines`: JSON lines; `document`: each row is a file of its own, named by `ExportRow.file`. */
  layout: 'lines' | 'document';
  rows(episodes: readonly Episode[], context: ExportContext): { rows: ExportRow[]; refused: Refusal[] };
}
