import type { RowPlace } from '../../formats/import-format.js';

/** A line that could not be read, or a row that was dropped: what goes to `<output>.rejected.jsonl`. */
export interface Rejection extends RowPlace {
  reason: string;
  /** The row, where it is JSON; else `raw`, the text. */
  row?: unknown;
  raw?: string;
}

/** Its line in the file of rejections. */
export function rejectionLine({ file, line, reason, row, raw }: Rejection): string {
  return JSON.stringify({ file, line, reason, ...(row === undefined ? { raw: raw ?? '' } : { row }) });
}
