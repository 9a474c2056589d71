import { LongrunError } from '../core/errors.js';
import type { AttemptKey } from '../core/ids.js';
import type { Fence } from '../core/rollout/fence.js';
import type { Lifecycle } from '../core/rollout/lifecycle.js';
import type { TaskStep } from '../core/rollout/task.schema.js';
import type { VerifyAnswer } from '../core/run/workflow-messages.js';
import { assertFence } from '../store/fence-store.js';
import { keys } from '../store/keys.js';
import { putRecordIfAbsent, readRecord } from '../store/records/records.js';
import {
  type AgentEnd,
  agentEndSchema,
  type Verdict,
  verdictSchema,
} from '../store/records/records.schema.js';
import { readRun, readTask } from '../store/runs.js';
import { atLevel } from '../tasks/verification/isolation-level.js';
import type { AttemptContext } from './attempt-context.js';
import type { RolloutDeps } from './deps.js';
import { openAttempt } from './open-attempt.js';
import { keepFinalState } from './replay/final-state.js';
import { StepRewardContext } from './reward-context.js';
import { lossOf } from './sandbox-loss.js';

/** Scores one step and records the verdict, once. Steps that ended by an infrastructure failure have none. */
export async function verifyStep(
  deps: RolloutDeps,
  key: AttemptKey,
  step: number,
  fence: Fence,
  lifecycle: Lifecycle,
): Promise<VerifyAnswer> {
  const [run, asked] = await Promise.all([
    readRun(deps.store, key.runId),
    readTask(deps.store, key.runId, key.taskId),
  ]);
  const task = atLevel(asked, run.config.verify);
  const spec = task.evalCriteria.steps[step];
  if (!spec) throw new LongrunError('not_found', `task ${key.taskId} has no step ${step}`);
  const end = await readRecord(deps.store, agentEndSchema, keys.agentEnd(key, step));
  if (end === null || isUnscored(end)) return { reward: null, goOn: false };
  const verdict =
    (await readRecord(deps.store, verdictSchema, keys.verdict(key, step))) ??
    (await score(deps, key, step, spec, fence, lifecycle));
  const last = step === task.evalCriteria.steps.length - 1;
  return {
    reward: verdict.reward,
    goOn: !last && reaches(verdict, spec) && end.stopReason !== 'sandbox_ended',
  };
}

/** Infrastructure failures and cancellations are never scored. */
function isUnscored(end: AgentEnd): boolean {
  return ['llm_error', 'provision_error', 'sandbox_lost', 'cancelled'].includes(end.stopReason);
}

async function score(
  deps: RolloutDeps,
  key: AttemptKey,
  step: number,
  spec: TaskStep,
  fence: Fence,
  lifecycle: Lifecycle,
): Promise<Verdict> {
  let verdict: Verdict;
  let context: AttemptContext | null = null;
  try {
    context = await openForScoring(deps, key, step, fence, lifecycle);
    const reward = new StepRewardContext(context);
    await keepFinalState(context);
    await context.sandbox.freeReserve?.();
    await deps.atCheckpoint('verification:before', key);
    verdict = await deps.environmentOf(context.run).computeReward(context.task, step, reward);
    await context.guard();
  } catch (error) {
    if (!LongrunError.is(error, 'sandbox_gone')) throw error;
    // A newer executor may have removed it on purpose.
    await assertFence(deps.store, key, fence);
    verdict = lostVerdict(deps, spec, await lossUnderTests(context));
  }
  await deps.atCheckpoint('verification:effect', key);
  const { value } = await putRecordIfAbsent(deps.store, verdictSchema, keys.verdict(key, step), verdict);
  await deps.atCheckpoint('verification:recorded', key);
  return value;
}

/** A sandbox that ended from inside is started again, because its outcome is scored. */
async function openForScoring(
  deps: RolloutDeps,
  key: AttemptKey,
  step: number,
  fence: Fence,
  lifecycle: Lifecycle,
): Promise<AttemptContext> {
  const context = await openAttempt(deps, key, step, fence, lifecycle);
  if ((await context.sandbox.state()).ended === 'inside') await context.sandbox.restart();
  return context;
}

/**
 * What the agent left running may end the sandbox under its tests: no score can be had of it, and
 * no new attempt is given for it.
 */
async function lossUnderTests(
  context: AttemptContext | null,
): Promise<Pick<Verdict, 'stopReason' | 'failure'>> {
  const loss = await lossOf(context?.sandbox ?? null);
  if (loss.stopReason !== 'sandbox_ended') return { stopReason: 'sandbox_lost', failure: loss.failure };
  const message = 'the sandbox ended from inside while the tests ran';
  return {
    stopReason: 'verifier_error',
    failure: { code: 'verifier_failed', message, retryable: false, hint: null },
  };
}

function lostVerdict(
  deps: RolloutDeps,
  { name, verifier }: TaskStep,
  loss: Pick<Verdict, 'stopReason' | 'failure'>,
): Verdict {
  return {
    schemaVersion: 1,
    step: name,
    reward: null,
    rewards: {},
    isolation: verifier.isolation,
    ...loss,
    suspectedTampering: [],
    trusted: [],
    testOutput: '',
    durationMs: 0,
    verifiedAt: deps.now(),
  };
}

/** Whether the next step may run: a number is meant for `reward`, a table names keys; a missing one is below any. */
function reaches(verdict: Verdict, { minReward }: TaskStep): boolean {
  if (verdict.reward === null) return false;
  if (minReward === null) return true;
  if (typeof minReward === 'number') return verdict.reward >= minReward;
  return Object.entries(minReward).every(
    ([name, least]) => (verdict.rewards[name] ?? Number.NEGATIVE_INFINITY) >= least,
  );
}
