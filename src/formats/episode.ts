import { groupIndexOf } from '../core/group/group-plan.js';
import { groupId, rolloutId } from '../core/ids.js';
import type { Episode, EpisodeTurn } from '../core/trajectory/episode.schema.js';
import { REWARD_QUALITY, type RewardSignal } from '../core/trajectory/reward-signal.schema.js';
import type { Trajectory } from '../core/trajectory/trajectory.schema.js';
import type { RunRecord } from '../store/records/records.schema.js';
import { agentName } from './harbor-job/model-info.js';
import type { TrialRecords } from './harbor-job/trial-records.js';
import type { RecordedTurn } from './trajectory.js';

/** The episode of a sealed rollout, from its records. `extra` are rewards from elsewhere: feedback of people. */
export function episodeFromRecords(
  run: RunRecord,
  trial: TrialRecords,
  trajectory: Trajectory,
  extra: readonly RewardSignal[] = [],
): Episode {
  const { result, task } = trial;
  const rollout = { runId: run.runId, taskId: result.taskId, sample: result.sample, attempt: result.attempt };
  return {
    schemaVersion: 1,
    sessionId: sessionIdOf(rollout),
    rollout,
    groupId: groupOf(run, result.taskId, result.sample),
    source: run.mode === 'process' ? 'batch' : 'environment',
    environment: run.environment.name,
    category: task.metadata.category,
    model: result.model,
    provider: run.config.baseUrl === null ? null : hostOf(run.config.baseUrl),
    temperature: run.config.temperature,
    agent: { name: agentName(run), version: run.longrunVersion },
    startedAt: result.timings.startedAt,
    finishedAt: result.timings.finishedAt,
    trajectory,
    turns: turnsOf(trial, trajectory),
    outcome: {
      stopReason: result.stopReason,
      completed: result.stopReason === 'natural',
      passed: result.reward === null ? null : result.reward >= run.config.passThreshold,
      status: result.queueState,
      failureClass: result.failureClass,
      failure: result.failure && { code: result.failure.code, message: result.failure.message },
      apiCalls: result.turns + result.failedCalls + result.lostCalls,
      attempts: result.attempts,
      suspectedTampering: [...result.suspectedTampering],
    },
    rewards: [...environmentReward(run, trial), ...extra],
    metadata: {
      task_id: result.taskId,
      rollout_id: rolloutId(rollout),
      difficulty: task.metadata.difficulty,
      tags: [...task.metadata.tags],
    },
    compressed: null,
    tokenizedBy: null,
    imported: null,
  };
}

/** Its group or, where rollouts stand alone, all of its task. */
function groupOf({ runId, config }: RunRecord, taskId: string, sample: number): string {
  const { groupSize } = config;
  return groupSize === null
    ? `${runId}/${taskId}`
    : groupId({ runId, taskId, index: groupIndexOf(sample, groupSize) });
}

/** The name of an episode in files: ids are letters, digits, `.`, `_` and `-` already. */
export function sessionIdOf({
  runId,
  taskId,
  sample,
}: {
  runId: string;
  taskId: string;
  sample: number;
}): string {
  return `${runId}__${taskId}__${sample}`;
}

/** Only a scored outcome has one: an infrastructure failure is never a score. */
function environmentReward(run: RunRecord, { result }: TrialRecords): RewardSignal[] {
  if (result.reward === null) return [];
  return [
    {
      source: 'environment',
      quality: REWARD_QUALITY.environment,
      value: result.reward,
      shape: null,
      parts: null,
      ...(Object.keys(result.rewards).length > 1 ? { components: { ...result.rewards } } : {}),
      by: run.environment.name,
      at: result.timings.finishedAt,
      note: null,
    },
  ];
}

/** One for each timestep: a rollout without turns has at most the timestep of its prompt. */
function turnsOf(trial: TrialRecords, trajectory: Trajectory): EpisodeTurn[] {
  const turns = trial.steps.flatMap((step, index) =>
    step.turns.map((turn) => turnOf(turn, index, trial.result.policyVersion)),
  );
  while (turns.length < trajectory.timesteps.length) turns.push(unrecordedTurn());
  return turns;
}

/** What is known of a recorded turn besides its messages. */
export function turnOf(
  { call, results }: RecordedTurn,
  step: number,
  policyVersion: string | null,
): EpisodeTurn {
  return {
    step,
    model: call.model,
    requestId: call.requestId,
    finishReason: call.finishReason,
    usage: { ...call.usage },
    costUsd: call.costUsd,
    startedAt: call.startedAt,
    latencyMs: call.latencyMs,
    promptTokenIds: call.promptTokenIds,
    completionTokenIds: call.completionTokenIds,
    logprobs: call.logprobs,
    policyVersion: call.policyVersion ?? policyVersion,
    sequenceId: call.sequenceId,
    sentView: call.sentView,
    results: results.map(({ toolCallId, success, error, exitCode, durationMs }) => ({
      toolCallId,
      success,
      error,
      exitCode,
      durationMs,
    })),
  };
}

/** A timestep of which no model call is known: a bare prompt, or a row of another tool. */
export function unrecordedTurn(): EpisodeTurn {
  return {
    step: 0,
    model: null,
    requestId: null,
    finishReason: null,
    usage: null,
    costUsd: null,
    startedAt: null,
    latencyMs: null,
    promptTokenIds: null,
    completionTokenIds: null,
    logprobs: null,
    policyVersion: null,
    sequenceId: null,
    sentView: null,
    results: [],
  };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
