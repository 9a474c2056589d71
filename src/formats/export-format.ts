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

/** What came of the episodes that a format was given. */
export interface ExportedRows {
  rows: ExportRow[];
  refused: Refusal[];
  /** What a person should know of a row that was written: one sentence each. */
  warnings?: readonly { sessionId: string; message: string }[];
}

/** What is known before the input was read. */
export type SurveyContext = Pick<ExportContext, 'rewardOf' | 'options'>;

/** A pass over all episodes before the first row is written, for formats whose rows depend on all of them. */
export interface Survey {
  /** Each episode in the order of the input; `index` counts from 0. */
  see(episode: Episode, index: number): void;
  /** The episodes to be written before all others, by index. */
  first(): readonly number[];
  rows: ExportFormat['rows'];
}

/** One exchange format, as a pure view of episodes. */
export interface ExportFormat {
  name: ExportFormatName;
  /** `group`: `rows` is given all episodes of a group at once, by sample; else one at a time. */
  unit: 'episode' | 'group';
  /** `lines`: JSON lines; `document`: each row is a file of its own, named by `ExportRow.file`. */
  layout: 'lines' | 'document';
  /** False: `context.tools` is not looked at, and may be empty, which spares a pass over the input. */
  usesTools?: boolean;
  /** Begins a survey, whose `rows` stand in for those below. */
  survey?(context: SurveyContext): Survey;
  rows(episodes: readonly Episode[], context: ExportContext): ExportedRows;
}
