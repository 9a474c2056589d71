import type { Episode } from '../../core/trajectory/episode.schema.js';
import { sha256 } from '../../trajectories/digest.js';
import { episodeLine } from '../../trajectories/longrun-format.js';

/** A row as it is sent. */
export interface UploadRow {
  /** SHA-256 of the row: the same row has the same key, whoever sends it whenever. */
  key: string;
  sessionId: string;
  /** Its line of the body, without the line feed. */
  line: string;
  bytes: number;
}

export function uploadRow(episode: Episode): UploadRow {
  // Where the row was read from on this machine is nobody else's business, and would make another key of it.
  const row = episodeLine({ ...episode, imported: null });
  const key = sha256(row);
  const line = `{"idempotency_key":"${key}","row":${row}}`;
  return { key, sessionId: episode.sessionId, line, bytes: Buffer.byteLength(line) + 1 };
}

/** Of a batch: the same rows have the same key, however often they are tried. */
export function batchKey(rows: readonly UploadRow[]): string {
  return sha256(rows.map(({ key }) => key).join('\n'));
}
