import { rolloutId } from '../core/ids.js';
import { closingFence } from '../core/rollout/fence.js';
import { outcomeClass, queueState } from '../core/rollout/outcome.js';
import { nextAttemptDelay } from '../core/rollout/retry-policy.js';
import type { Task } from '../core/rollout/task.schema.js';
import { addUsage, NO_USAGE } from '../core/rollout/usage.js';
import type { FinalizeAnswer, FinalizeInput } from '../core/run/workflow-messages.js';
import { raiseFence } from '../store/fence-store.js';
import { keys } from '../store/keys.js';
import { putRecordIfAbsent, readChildren } from '../store/records/records.js';
import {
  type AttemptRecord,
  attemptRecordSchema,
  type RolloutResult,
  type RunRecord,
  rolloutResultSchema,
} from '../store/records/records.schema.js';
import { readReplayResult } from '../store/replays.js';
import { readRun, readSealedResult, readTask, trajectoryKey } from '../store/runs.js';
import { attemptRecord } from './attempt-record.js';
import { mayCallAgain } from './calls/budget-hold.js';
import { settleLostCallsOf } from './calls/lost-calls.js';
import type { RolloutDeps } from './deps.js';
import { digestOf } from './digest.js';
import { claimAttempt, claimedAttempts } from './replay/claim-attempt.js';
import { addCost } from './turns/step-history.js';
import { writeTrajectory } from './write-trajectory.js';

/**
 * Ends an attempt, whatever its outcome, and the rollout with it unless a new attempt may help.
 * Idempotent: everything is put once, and whoever comes second goes on with what is stored.
 */
export async function finalizeAttempt(deps: RolloutDeps, asked: FinalizeInput): Promise<FinalizeAnswer> {
  const sealed = await endOf(deps, asked);
  if (sealed !== null) return { again: false, digest: digestOf(sealed) };
  const { input, tries } = await withTries(deps, asked);
  const [run, task] = await Promise.all([
    readRun(deps.store, input.runId),
    readTask(deps.store, input.runId, input.taskId),
  ]);
  await deps.atCheckpoint('finalizing:before', input);
  // A host that was given up may be frozen or cut off, and come back: nothing it does counts from here on.
  await raiseFence(deps.store, input, closingFence(input.incarnation));
  await settleLostCallsOf(deps.store, input, task.evalCriteria.steps.length, deps.now);
  const own = await attemptRecord(deps.store, input, task, input.ended, deps.now());
  const { won, value: record } = await putRecordIfAbsent(
    deps.store,
    attemptRecordSchema,
    keys.attemptRecord(input),
    own,
  );
  if (won) deps.observer.attemptEnded(record);
  const cancelled = input.ended?.stopReason === 'cancelled';
  const delayMs = cancelled ? null : await delayOfNext(deps, run, input, record, tries);
  if (delayMs !== null) return { again: true, delayMs };
  const result = await resultOf(
    deps,
    input,
    run,
    task,
    cancelled ? { ...record, ...cancelledOutcome } : record,
    tries,
  );
  const written = await writeTrajectory(deps, input, run, task, record, trajectoryKey(input.runId, result));
  // Of a replay it is not known yet whether its outcome will count: the end of the replay sees to it.
  if (input.replay === undefined)
    await deps.recorder.rolloutEnded(
      run,
      { task, result, attempts: [record], steps: written.steps },
      written.trajectory,
    );
  await deps.atCheckpoint('finalizing:effect', input);
  const at = input.replay === undefined ? keys.result(input) : keys.replayResult(input, input.replay);
  const sealing = await putRecordIfAbsent(deps.store, rolloutResultSchema, at, result);
  await deps.atCheckpoint('finalizing:recorded', input);
  if (sealing.won) deps.observer.rolloutEnded(sealing.value);
  return { again: false, digest: digestOf(sealing.value) };
}

const cancelledOutcome = { stopReason: 'cancelled', failure: null, reward: null, rewards: {} } as const;

/** When to try again; null where that cannot help, or neither attempts nor the rollout's budget are left. */
async function delayOfNext(
  deps: RolloutDeps,
  run: RunRecord,
  input: FinalizeInput,
  record: AttemptRecord,
  tries: readonly number[],
): Promise<number | null> {
  const ended = (await endedAttempts(deps, input, tries)).filter(({ attempt }) => attempt !== record.attempt);
  const delayMs = nextAttemptDelay([...ended, record], input.maxAttempts, run.config.retries, Math.random);
  return delayMs !== null && (await mayCallAgain(deps, run, input)) ? delayMs : null;
}

async function endedAttempts(
  { store }: RolloutDeps,
  input: FinalizeInput,
  tries: readonly number[],
): Promise<AttemptRecord[]> {
  const ended = await readChildren(store, attemptRecordSchema, keys.attempts(input), 'attempt.json');
  return ended.map(({ value }) => value).filter(({ attempt }) => tries.includes(attempt));
}

/** What this rollout, or this replay of it, has come to. */
function endOf({ store }: RolloutDeps, input: FinalizeInput): Promise<RolloutResult | null> {
  return input.replay === undefined
    ? readSealedResult(store, input)
    : readReplayResult(store, input, input.replay);
}

/**
 * The attempts that this rollout, or this replay of it, has made so far. A workflow that was told to
 * end before it had a place only guesses the number of its attempt: a replay's is what it claimed.
 */
async function withTries(
  { store }: RolloutDeps,
  input: FinalizeInput,
): Promise<{ input: FinalizeInput; tries: number[] }> {
  const { replay } = input;
  if (replay === undefined) return { input, tries: Array.from({ length: input.attempt }, (_, i) => i + 1) };
  const own = await claimedAttempts(store, input, replay);
  if (own.includes(input.attempt)) return { input, tries: own };
  const attempt = await claimAttempt(store, input, replay);
  return { input: { ...input, attempt }, tries: [...new Set([...own, attempt])] };
}

async function resultOf(
  deps: RolloutDeps,
  input: FinalizeInput,
  run: RunRecord,
  task: Task,
  record: AttemptRecord,
  tries: readonly number[],
): Promise<RolloutResult> {
  const all = await endedAttempts(deps, input, tries);
  const { steps: _steps, hostId: _host, schemaVersion: _version, ...counted } = record;
  return {
    schemaVersion: 1,
    rolloutId: rolloutId(input),
    taskId: input.taskId,
    sample: input.sample,
    ...counted,
    attempts: all.length,
    failureClass: outcomeClass(record.stopReason),
    queueState: queueState({
      stopReason: record.stopReason,
      failure: record.failure,
      attemptsLeft: Math.max(0, input.maxAttempts - tries.length),
      suspectedTampering: record.suspectedTampering.length > 0,
    }),
    usage: all.reduce((total, a) => addUsage(total, a.usage), NO_USAGE),
    costUsd: all.reduce<number | null>((total, a) => addCost(total, a.costUsd), null),
    model: run.config.agent === 'tool-calling' ? run.config.model : null,
    category: task.metadata.category,
  };
}
