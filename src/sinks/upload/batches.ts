import type { UploadRow } from './upload-row.js';

export interface BatchBounds {
  rows: number;
  /** Of the body before it is packed; a single row may have more. */
  bytes: number;
}

/** Rows in batches within the bounds, in order. */
export async function* batchesOf(
  rows: AsyncIterable<UploadRow>,
  bounds: BatchBounds,
): AsyncGenerator<UploadRow[]> {
  let batch: UploadRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    if (batch.length > 0 && (batch.length >= bounds.rows || bytes + row.bytes > bounds.bytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(row);
    bytes += row.bytes;
  }
  if (batch.length > 0) yield batch;
}
