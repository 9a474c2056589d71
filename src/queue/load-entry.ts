import { z } from 'zod';
import { LongrunError } from '../core/errors.js';
import { findRollout } from '../records/find-rollout.js';
import { keys } from '../store/keys.js';
import { readChildren } from '../store/records/records.js';
import { attemptRecordSchema } from '../store/records/records.schema.js';
import { resolutionSchema } from '../store/records/replay.schema.js';
import { readResolutions } from '../store/replays.js';
import { type QueueRow, queueRowSchema, readQueueRow } from './read-queue.js';

/** Everything that decides what to do about one rollout. */
export const queueEntrySchema = queueRowSchema.extend({
  attemptRecords: z.array(attemptRecordSchema),
  resolutions: z.array(resolutionSchema),
  /** Where its records are. */
  evidence: z.string(),
  /** What can be done about it. */
  advice: z.array(z.string()),
});
export type QueueEntry = z.infer<typeof queueEntrySchema>;

/** A rollout by the id that people type. Errors: `bad_input`, `not_found`. */
export async function loadQueueEntry(
  stateDir: string,
  id: string,
  env: NodeJS.ProcessEnv,
): Promise<QueueEntry> {
  const { store, key } = await findRollout(stateDir, id, env);
  const row = await readQueueRow(store, key);
  if (row === null) {
    throw new LongrunError('not_found', `${id} has not come to anything yet: it is in no queue.`, {
      hint: `longrun rollouts show ${id} shows what it does.`,
    });
  }
  const attempts = await readChildren(store, attemptRecordSchema, keys.attempts(key), 'attempt.json');
  return {
    ...row,
    attemptRecords: attempts.map(({ value }) => value).sort((a, b) => a.attempt - b.attempt),
    resolutions: await readResolutions(store, key),
    evidence: store.locate(keys.rollout(key)),
    advice: adviceFor(row),
  };
}

function adviceFor({ rolloutId, state, scored, open }: QueueRow): string[] {
  const [runId] = rolloutId.split('/');
  if (open) return [`its run tries again by itself; if that is gone: longrun runs resume ${runId}`];
  if (state === 'success') return [];
  if (state === 'needs_human_review' && scored) {
    return [
      `the score stands: longrun queue resolve ${rolloutId} --as accepted`,
      `it does not: longrun queue resolve ${rolloutId} --as rejected`,
    ];
  }
  const retry = `try again: longrun queue retry ${rolloutId}`;
  return state === 'needs_human_review'
    ? [retry, `give it up: longrun queue resolve ${rolloutId} --as terminal`]
    : [retry];
}
