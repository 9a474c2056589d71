import type { Episode } from '../core/trajectory/episode.schema.js';
import type { ExportFormatName } from './export-format.js';

/** `agoge` is a `trajectory.json` as the store keeps it. */
export type ImportFormatName = ExportFormatName | 'agoge';

/** A parsed line, or a whole document: always a JSON object. */
export type InputRow = Readonly<Record<string, unknown>>;

/** Where a row stands. `line` counts from 1. */
export interface RowPlace {
  file: string;
  line: number;
}

/** Reads the rows of one file, in order. */
export interface RowReader {
  /**
   * The episodes that are complete with this row: mostly one, none while their rows are still being gathered.
   * Throws a LongrunError for a row that cannot be read: that row is rejected, and reading goes on.
   */
  row(row: InputRow, place: RowPlace): Episode[];
  /** What is still held at the end of the file. */
  end(): Episode[];
}

/** A format that can be read back into episodes. */
export interface ImportFormat {
  name: ImportFormatName;
  /** Whether this, the first row of a file, is of the format: told by its keys. */
  matches(row: InputRow): boolean;
  /** A new one for each file. */
  open(): RowReader;
}

/** For formats of which each row is an episode. */
export function rowByRow(read: (row: InputRow, place: RowPlace) => Episode): () => RowReader {
  return () => ({ row: (row, place) => [read(row, place)], end: () => [] });
}
