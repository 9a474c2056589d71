import { CancelledFailure, setHandler } from '@temporalio/workflow';
import { RolloutProgress } from '../src/core/rollout/rollout-progress.js';
import type { RolloutDigest, RolloutInput } from '../src/core/run/workflow-messages.js';
import { runAttempt } from './attempt.js';
import { pauseSignal, phaseQuery, resumeSignal } from './messages.js';

/**
 * One rollout: attempts in order until one counts. History grows by about 6 events a slice,
 * whatever the turns; transcripts stay in the store.
 */
export async function rollout(input: RolloutInput): Promise<RolloutDigest> {
  const progress = new RolloutProgress(input);
  setHandler(pauseSignal, () => {
    progress.paused = true;
  });
  setHandler(resumeSignal, () => progress.resume());
  setHandler(phaseQuery, () => progress.snapshot());

  for (let delayMs = 0; !progress.finished; ) {
    const answer = await runAttempt(input, progress, delayMs);
    if (answer.again) delayMs = answer.delayMs;
    else progress.finish(answer.digest);
  }
  const digest = progress.digest();
  // The result is recorded; the workflow still closes as what it was: cancelled.
  if (digest.stopReason === 'cancelled') throw new CancelledFailure('rollout cancelled');
  return digest;
}
