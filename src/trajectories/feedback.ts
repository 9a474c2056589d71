import { LongrunError } from '../core/errors.js';
import { type RolloutKey, rolloutId } from '../core/ids.js';
import { keys } from '../store/keys.js';
import { type Feedback, feedbackSchema } from '../store/records/feedback.schema.js';
import { putRecordIfAbsent } from '../store/records/records.js';
import { readResult } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';

/**
 * Records what a person thinks of a rollout; nothing said before is replaced, and the newest counts.
 * Answers how many have been said with this one. Errors: `bad_input` while the rollout is open.
 */
export async function giveFeedback(
  store: ArtifactStore,
  rollout: RolloutKey,
  said: Omit<Feedback, 'schemaVersion'>,
): Promise<{ number: number; feedback: Feedback }> {
  const id = rolloutId(rollout);
  if ((await readResult(store, rollout)) === null)
    throw new LongrunError('bad_input', `${id} is still open: there is nothing to judge yet.`, {
      exitCode: 2,
      hint: `longrun rollouts show ${id} shows how far it is.`,
    });
  for (;;) {
    const number = (await store.children(keys.feedbacks(rollout))).length + 1;
    const key = keys.feedback(rollout, number);
    // Somebody else may take the number in this moment: theirs stays, and ours gets the next one.
    const put = await putRecordIfAbsent(store, feedbackSchema, key, { schemaVersion: 1, ...said });
    if (put.won) return { number, feedback: put.value };
  }
}
