import { badInput } from '../core/errors.js';
import type { RolloutKey } from '../core/ids.js';
import { keys } from '../store/keys.js';
import { putRecordIfAbsent } from '../store/records/records.js';
import { type Resolution, resolutionSchema } from '../store/records/replay.schema.js';
import { readResolutions } from '../store/replays.js';
import type { ArtifactStore } from '../store/store.js';
import { type QueueRow, readQueueRow } from './read-queue.js';

/**
 * Records what a person decided on a rollout that needs review; decisions are appended, the newest
 * holds. Throws `bad_input` where there is nothing to decide.
 */
export async function resolveRollout(
  store: ArtifactStore,
  key: RolloutKey,
  decision: Pick<Resolution, 'as' | 'note' | 'by' | 'at'>,
): Promise<QueueRow> {
  const row = await readQueueRow(store, key);
  refuse(row, key, decision.as);
  const attempt = (row as QueueRow).attempt;
  for (;;) {
    const n = (await readResolutions(store, key)).length + 1;
    const name = `${keys.resolutions(key)}/${String(n).padStart(4, '0')}.json`;
    const record: Resolution = { schemaVersion: 1, attempt, ...decision };
    if ((await putRecordIfAbsent(store, resolutionSchema, name, record)).won) break;
  }
  return (await readQueueRow(store, key)) as QueueRow;
}

function refuse(row: QueueRow | null, { taskId, sample }: RolloutKey, as: Resolution['as']): void {
  const name = `${taskId}/${sample}`;
  if (row === null) throw badInput(`${name} is still open: there is nothing to decide yet.`);
  if (row.state !== 'needs_human_review' && row.resolution === null) {
    throw badInput(
      `${name} does not need review: it is in the queue ${row.state}.`,
      'longrun queue list --state needs_human_review lists those that do.',
    );
  }
  if (as === 'accepted' && row.reward === null) {
    throw badInput(
      `${name} has no score that could be accepted (${row.stopReason}).`,
      'Try it again with longrun queue retry, or give it up with --as terminal.',
    );
  }
}
