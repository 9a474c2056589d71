import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
  patched,
  sleep,
} from '@temporalio/workflow';
import type { Failure, StopReason } from '../src/core/rollout/outcome.js';
import type { RolloutProgress } from '../src/core/rollout/rollout-progress.js';
import type { FinalizeAnswer, PlaceAnswer, RolloutInput } from '../src/core/run/workflow-messages.js';
import { waitForBudget } from './budget-hold.js';
import { HOST_LOST, HostLost, onHost } from './host-loss.js';
import { bookkeeping, controlActivities, hostActivities, poolActivities } from './policies.js';

type Ready = Exclude<PlaceAnswer, { kind: 'held' }>;
type Placed = Extract<PlaceAnswer, { kind: 'placed' }>;
interface Ended {
  stopReason: StopReason;
  failure: Failure | null;
}

/** One attempt: place, take turns, verify, step by step; then, whatever happened, record it and clean up. */
export async function runAttempt(
  input: RolloutInput,
  progress: RolloutProgress,
  delayMs: number,
): Promise<FinalizeAnswer> {
  const expected = progress.attempt + 1;
  let place: Ready | null = null;
  let ended: Ended | null = null;
  let phase: StopReason = 'provision_error';
  try {
    if (delayMs > 0) await sleep(delayMs);
    place = await placeSandbox(input, progress);
    if (place.kind === 'sealed') return { again: false, digest: place.digest };
    progress.attempt = place.attempt;
    if (place.kind === 'failed') ended = { stopReason: place.stopReason, failure: place.failure };
    else await runSteps(input, progress, place, (next) => (phase = next));
  } catch (error) {
    ended = endOf(error, phase);
  }
  progress.attempt = Math.max(progress.attempt, expected);
  return CancellationScope.nonCancellable(() => conclude(input, progress, place, ended));
}

async function placeSandbox(input: RolloutInput, progress: RolloutProgress): Promise<Ready> {
  const { runId, taskId, sample, policy, replay, urgent } = input;
  const pool = poolActivities(runId, policy, urgent === true || progress.attempt > 0);
  const known = await findPlaced(input, progress);
  if (known !== null) return known;
  for (;;) {
    progress.phase = 'placing';
    await condition(() => !progress.paused);
    const { nudges } = progress;
    const answer = await pool.placeSandbox({
      runId,
      taskId,
      sample,
      ...progress.nextExecutor(),
      maxAttempts: policy.maxAttempts,
      ...(replay === undefined ? {} : { replay }),
    });
    if (answer.kind !== 'held') return answer;
    await waitForBudget(answer.hold, progress, nudges);
  }
}

/** A rollout that was recovered may have its sandbox still: taking that up needs no room in the pool. */
async function findPlaced(input: RolloutInput, progress: RolloutProgress): Promise<Ready | null> {
  const { runId, taskId, sample, incarnation, replay } = input;
  if (incarnation === 1 || replay !== undefined || progress.attempt > 0) return null;
  if (!patched('look-before-placing')) return null;
  const known = await bookkeeping.findPlacement({ runId, taskId, sample });
  return known === null || known.kind === 'held' ? null : known;
}

async function runSteps(
  input: RolloutInput,
  progress: RolloutProgress,
  place: Placed,
  entering: (ifItFails: StopReason) => void,
): Promise<void> {
  const hostLossMs = place.hostLoss?.afterMs ?? input.policy.hostLossMs;
  const host = hostActivities(place.hostQueue, { ...input.policy, hostLossMs });
  const mayMove = () => mayLeave(input, place);
  const key = { runId: input.runId, taskId: input.taskId, sample: input.sample, attempt: place.attempt };
  for (let step = 0; step < place.steps; step++) {
    progress.phase = 'agent';
    entering('llm_error');
    for (let done = false; !done; ) {
      await condition(() => !progress.paused);
      const { nudges } = progress;
      const answer = await onHost(() => host.runTurns({ ...key, step, ...progress.nextExecutor() }), mayMove);
      progress.turns = answer.turns;
      done = answer.done;
      if (answer.held) {
        await waitForBudget(answer.held, progress, nudges);
        progress.phase = 'agent';
      }
    }
    progress.phase = 'verifying';
    entering('verifier_error');
    const verdict = await onHost(() => host.verify({ ...key, step, ...progress.nextExecutor() }), mayMove);
    if (!verdict.goOn) return;
  }
}

/** Workers that did not say so in their placement judged it at the start of the run. */
async function mayLeave({ runId }: RolloutInput, { hostLoss }: Placed): Promise<boolean> {
  return hostLoss === undefined || bookkeeping.hasOtherHost({ runId, hostId: hostLoss.hostId });
}

/** Recording and removing the sandbox are independent: the verdict is in the store before either. */
async function conclude(
  input: RolloutInput,
  progress: RolloutProgress,
  place: Ready | null,
  ended: Ended | null,
): Promise<FinalizeAnswer> {
  progress.phase = 'finalizing';
  const { runId, taskId, sample, incarnation, policy, replay } = input;
  const key = { runId, taskId, sample, attempt: progress.attempt };
  const finalized = bookkeeping.finalizeRollout({
    ...key,
    incarnation,
    maxAttempts: policy.maxAttempts,
    ended,
    ...(replay === undefined ? {} : { replay }),
  });
  // What cannot be removed now is the reaper's; the result does not wait for it.
  const removed =
    place?.kind === 'placed' && !isGivenUp(place, ended)
      ? controlActivities(place.controlQueue)
          .destroySandbox(key)
          .catch(() => undefined)
      : undefined;
  const [answer] = await Promise.all([finalized, removed]);
  return answer;
}

/** A host that takes no work is not asked to clean up: its reaper knows an attempt that has ended. */
function isGivenUp({ hostLoss }: Placed, ended: Ended | null): boolean {
  return hostLoss !== undefined && ended?.failure?.code === HOST_LOST;
}

/** Of a sandbox that refused its service while the agent or the tests were at work. */
const SANDBOX_CODES: readonly string[] = ['sandbox_failed', 'sandbox_unavailable', 'image_missing'];

function endOf(error: unknown, phase: StopReason): Ended {
  if (isCancellation(error)) return { stopReason: 'cancelled', failure: null };
  if (error instanceof HostLost) return { stopReason: 'sandbox_lost', failure: error.failure };
  if (!(error instanceof ActivityFailure)) throw error;
  const cause = error.cause;
  const code = cause instanceof ApplicationFailure ? (cause.type ?? 'internal') : 'timeout';
  const message = cause?.message ?? error.message;
  return {
    stopReason: phase === 'llm_error' && SANDBOX_CODES.includes(code) ? 'provision_error' : phase,
    failure: { code, message, retryable: !(cause instanceof ApplicationFailure), hint: null },
  };
}
