import type { AttemptKey } from '../core/ids.js';
import type { Failure, StopReason } from '../core/rollout/outcome.js';
import { outcomeClass } from '../core/rollout/outcome.js';
import type { Task } from '../core/rollout/task.schema.js';
import { addUsage, NO_USAGE } from '../core/rollout/usage.js';
import { keys } from '../store/keys.js';
import { readRecord } from '../store/records/records.js';
import {
  type AgentEnd,
  type AttemptRecord,
  agentEndSchema,
  type Placement,
  placementSchema,
  type Verdict,
  verdictSchema,
} from '../store/records/records.schema.js';
import type { ArtifactStore } from '../store/store.js';
import { replayedAttempt } from './replay/replayed-attempt.js';
import { addCost, readStepHistory, type StepHistory } from './turns/step-history.js';

export interface Ended {
  stopReason: StopReason;
  failure: Failure | null;
}

/** What the records tell of one step. */
export interface StepRecords {
  end: AgentEnd | null;
  verdict: Verdict | null;
  history: StepHistory;
}

export async function readSteps(store: ArtifactStore, key: AttemptKey, task: Task): Promise<StepRecords[]> {
  const steps: StepRecords[] = [];
  for (const [step] of task.evalCriteria.steps.entries()) {
    const [end, verdict, history] = await Promise.all([
      readRecord(store, agentEndSchema, keys.agentEnd(key, step)),
      readRecord(store, verdictSchema, keys.verdict(key, step)),
      readStepHistory(store, key, step),
    ]);
    if (end === null && history.turns.length === 0 && history.failures.length === 0) break;
    steps.push({ end, verdict, history });
  }
  return steps;
}

/** What became of an attempt, from its records; `ended` is what no record tells. */
export async function attemptRecord(
  store: ArtifactStore,
  key: AttemptKey,
  task: Task,
  ended: Ended | null,
  now: number,
): Promise<AttemptRecord> {
  const [placement, steps, replay] = await Promise.all([
    readRecord(store, placementSchema, keys.placement(key)),
    readSteps(store, key, task),
    replayedAttempt(store, key, task),
  ]);
  const outcome = ended ?? outcomeOf(steps, task);
  const scored = outcomeClass(outcome.stopReason) === 'agent';
  const { reward, rewards } = scored ? combine(steps, task) : { reward: null, rewards: {} };
  const failures = steps.flatMap((s) => s.history.failures);
  return {
    schemaVersion: 1,
    attempt: key.attempt,
    ...outcome,
    reward,
    rewards,
    steps: steps.map((s, i) => ({
      name: task.evalCriteria.steps[i]?.name ?? String(i),
      reward: s.verdict?.reward ?? null,
      stopReason: s.verdict?.stopReason ?? s.end?.stopReason ?? outcome.stopReason,
    })),
    turns: sum(steps, (s) => s.history.turns.length),
    lostCalls: failures.filter((f) => f.kind === 'lost').length,
    failedCalls: failures.filter((f) => f.kind === 'failed').length,
    usage: steps.reduce((total, s) => addUsage(total, s.history.usage), NO_USAGE),
    costUsd: steps.reduce<number | null>((total, s) => addCost(total, s.history.costUsd), null),
    timings: timings(placement, steps, now),
    hostId: placement?.hostId ?? null,
    isolation: steps.findLast((s) => s.verdict !== null)?.verdict?.isolation ?? null,
    suspectedTampering: [...new Set(steps.flatMap((s) => s.verdict?.suspectedTampering ?? []))],
    trusted: trustedIn(steps),
    policyVersion: steps[0]?.history.turns[0]?.call.policyVersion ?? null,
    replay,
  };
}

/** Of all steps together; null where one does not say. */
function trustedIn(steps: readonly StepRecords[]): AttemptRecord['trusted'] {
  const said = steps.flatMap(({ verdict }) => (verdict === null ? [] : [verdict.trusted]));
  if (said.includes(null)) return null;
  return [...new Set(said.flatMap((one) => one ?? []))].sort();
}

/** The first step that ended the attempt early, else the last one. */
function outcomeOf(steps: readonly StepRecords[], task: Task): Ended {
  for (const { end, verdict } of steps) {
    if (verdict?.stopReason) return { stopReason: verdict.stopReason, failure: verdict.failure };
    if (end !== null && outcomeClass(end.stopReason) !== 'agent')
      return { stopReason: end.stopReason, failure: end.failure };
  }
  const last = steps.at(-1);
  if (last?.end && last.verdict && (last.verdict.reward !== null || last.verdict.unscored))
    return { stopReason: last.end.stopReason, failure: null };
  const where = last ? `step ${task.evalCriteria.steps[steps.length - 1]?.name}` : 'the first step';
  const message = last?.verdict?.failure?.message ?? `no verdict is recorded for ${where}`;
  const failure = last?.verdict?.failure ?? { code: 'internal', message, retryable: true, hint: null };
  return { stopReason: 'verifier_error', failure };
}

/** One reward of several steps: the mean counts steps that were not reached as 0, `final` takes the last. */
function combine(steps: readonly StepRecords[], task: Task): Pick<AttemptRecord, 'reward' | 'rewards'> {
  const planned = task.evalCriteria.steps.length;
  const last = steps.at(-1)?.verdict;
  if (planned === 1) return { reward: last?.reward ?? null, rewards: last?.rewards ?? {} };
  const byStep = Object.fromEntries(
    task.evalCriteria.steps.map((spec, i) => [spec.name, steps[i]?.verdict?.reward ?? 0] as const),
  );
  const total = Object.values(byStep).reduce((a, b) => a + b, 0);
  const final = steps.length === planned ? (last?.reward ?? 0) : 0;
  return { reward: task.evalCriteria.stepReward === 'final' ? final : total / planned, rewards: byStep };
}

function timings(
  placement: Placement | null,
  steps: readonly StepRecords[],
  now: number,
): AttemptRecord['timings'] {
  const calls = steps.flatMap((s) => s.history.turns.map((t) => t.call.startedAt));
  const startedAt = placement ? placement.createdAt - placement.provisionMs : (calls[0] ?? now);
  const reached = steps.length > 0;
  const lastEnd = steps.findLast((s) => s.end !== null)?.end?.endedAt;
  const verified = steps.some((s) => s.verdict !== null);
  return {
    startedAt,
    finishedAt: now,
    provisionMs: placement?.provisionMs ?? null,
    agentMs: placement && lastEnd !== undefined ? lastEnd - placement.createdAt : null,
    modelMs: reached ? sum(steps, (s) => s.history.modelMs) : null,
    toolsMs: reached ? sum(steps, (s) => s.history.toolsMs) : null,
    verifyMs: verified ? sum(steps, (s) => s.verdict?.durationMs ?? 0) : null,
  };
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
