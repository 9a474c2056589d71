import { rolloutId } from '../core/ids.js';
import { outcomeClass, queueState } from '../core/outcome.js';
import type { Task } from '../core/task.schema.js';
import { SECOND_MS } from '../core/time.js';
import { addUsage, NO_USAGE } from '../core/usage.js';
import type { FinalizeAnswer, FinalizeInput } from '../core/workflow-messages.js';
import { keys } from '../store/keys.js';
import { putRecordIfAbsent, readChildren } from '../store/records.js';
import {
  type AttemptRecord,
  attemptRecordSchema,
  type RolloutResult,
  type RunRecord,
  rolloutResultSchema,
} from '../store/records.schema.js';
import { readResult, readRun, readTask } from '../store/runs.js';
import { attemptRecord } from './attempt-record.js';
import type { RolloutDeps } from './deps.js';
import { digestOf } from './digest.js';
import { settleLostCallsOf } from './lost-calls.js';
import { addCost } from './step-history.js';
import { writeTrajectory } from './write-trajectory.js';

const RETRY_MS = 2 * SECOND_MS;
const LONGEST_RETRY_MS = 60 * SECOND_MS;

/**
 * Ends an attempt, whatever its outcome, and the rollout with it unless a new attempt may help.
 * Idempotent: everything is put once, and whoever comes second goes on with what is stored.
 */
export async function finalizeAttempt(deps: RolloutDeps, input: FinalizeInput): Promise<FinalizeAnswer> {
  const sealed = await readResult(deps.store, input);
  if (sealed !== null) return { again: false, digest: digestOf(sealed) };
  const [run, task] = await Promise.all([
    readRun(deps.store, input.runId),
    readTask(deps.store, input.runId, input.taskId),
  ]);
  await deps.atCheckpoint('finalizing:before', input);
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
  if (!cancelled && mayRetry(record, input.maxAttempts)) {
    return { again: true, delayMs: Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** (record.attempt - 1)) };
  }
  const result = await resultOf(
    deps,
    input,
    run,
    task,
    cancelled ? { ...record, ...cancelledOutcome } : record,
  );
  await writeTrajectory(deps, input, run, task, record);
  await deps.atCheckpoint('finalizing:effect', input);
  const sealing = await putRecordIfAbsent(deps.store, rolloutResultSchema, keys.result(input), result);
  await deps.atCheckpoint('finalizing:recorded', input);
  if (sealing.won) deps.observer.rolloutEnded(sealing.value);
  return { again: false, digest: digestOf(sealing.value) };
}

const cancelledOutcome = { stopReason: 'cancelled', failure: null, reward: null, rewards: {} } as const;

/** Only infrastructure failures that say so are tried again, within the run's limit. */
function mayRetry(record: AttemptRecord, maxAttempts: number): boolean {
  const infrastructure = outcomeClass(record.stopReason) === 'infrastructure';
  return infrastructure && record.failure?.retryable !== false && record.attempt < maxAttempts;
}

async function resultOf(
  deps: RolloutDeps,
  input: FinalizeInput,
  run: RunRecord,
  task: Task,
  record: AttemptRecord,
): Promise<RolloutResult> {
  const all = (await readChildren(deps.store, attemptRecordSchema, keys.attempts(input), 'attempt.json')).map(
    (attempt) => attempt.value,
  );
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
      attemptsLeft: Math.max(0, input.maxAttempts - record.attempt),
      suspectedTampering: record.suspectedTampering.length > 0,
    }),
    usage: all.reduce((total, a) => addUsage(total, a.usage), NO_USAGE),
    costUsd: all.reduce<number | null>((total, a) => addCost(total, a.costUsd), null),
    model: run.config.agent === 'tool-calling' ? run.config.model : null,
    policyVersion: null,
    category: task.metadata.category,
  };
}
