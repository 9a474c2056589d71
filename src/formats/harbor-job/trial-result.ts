import { addUsage, NO_USAGE, type Usage } from '../../core/rollout/usage.js';
import type { RolloutResult } from '../../store/records/records.schema.js';
import type { RecordedTurn } from '../trajectory.js';
import { exceptionInfo } from './exception-info.js';
import { agentName, modelInfo } from './model-info.js';
import { trialConfig, verifierMode } from './trial-config.js';
import { type HarborJob, isoTime, type TrialRecords, type TrialStep, trialName } from './trial-records.js';

type Json = Record<string, unknown>;

/** result.json of a trial: Harbor's TrialResult. */
export function trialResult(job: HarborJob, trial: TrialRecords): Json {
  const { result, task } = trial;
  const name = trialName(result);
  const several = task.evalCriteria.steps.length > 1;
  return {
    id: job.uuidOf(result.rolloutId),
    task_name: task.taskId,
    trial_name: name,
    trial_uri: `${job.jobsUrl}/${job.run.runId}/${name}`,
    task_id: { path: task.metadata.source.path },
    source: job.run.environment.name,
    task_checksum: task.metadata.source.digest,
    config: trialConfig(job, task, result),
    agent_info: { name: agentName(job.run), version: job.run.longrunVersion, model_info: modelInfo(job.run) },
    agent_result: agentResult(trial),
    verifier_result: verifierResult(result.reward, result.rewards),
    verifier_environment_mode: several ? null : verifierMode(result.isolation),
    exception_info: exceptionInfo(result),
    started_at: isoTime(result.timings.startedAt),
    finished_at: isoTime(result.timings.finishedAt),
    ...phases(result),
    step_results: several ? trial.steps.map(stepResult) : null,
  };
}

/** Null without a reward: an infrastructure failure is not a score of 0. */
export function verifierResult(
  reward: number | null,
  rewards: Record<string, number>,
): { rewards: Json } | null {
  return reward === null ? null : { rewards: { reward, ...rewards } };
}

function agentResult({ result, steps }: TrialRecords): Json {
  const turns = steps.flatMap((step) => step.turns);
  return {
    ...usageFields(result.usage, result.costUsd),
    rollout_details: rolloutDetails(turns),
    metadata: {
      stop_reason: result.stopReason,
      failure_class: result.failureClass,
      turns: result.turns,
      attempts: result.attempts,
      lost_calls: result.lostCalls,
      failed_calls: result.failedCalls,
      suspected_tampering: result.suspectedTampering,
      attempt: result.attempt,
      replay: result.replay === null ? null : replayFields(result.replay),
    },
  };
}

/** Which replay the attempt that counts comes from. */
function replayFields({ replayId, mode, source, fromTurn }: NonNullable<RolloutResult['replay']>): Json {
  const { runId, taskId, sample, attempt } = source;
  return {
    replay_id: replayId,
    mode,
    source: { run_id: runId, task_id: taskId, sample, attempt },
    from_turn: fromTurn,
  };
}

function usageFields(usage: Usage, costUsd: number | null): Json {
  return {
    n_input_tokens: usage.promptTokens,
    n_cache_tokens: usage.cachedTokens,
    n_output_tokens: usage.completionTokens,
    cost_usd: costUsd,
  };
}

/** Token ids as they were sampled; null unless every turn has them. */
function rolloutDetails(turns: readonly RecordedTurn[]): Json[] | null {
  const complete = turns.every(({ call }) => call.promptTokenIds && call.completionTokenIds && call.logprobs);
  if (turns.length === 0 || !complete) return null;
  return [
    {
      prompt_token_ids: turns.map(({ call }) => call.promptTokenIds),
      completion_token_ids: turns.map(({ call }) => call.completionTokenIds),
      logprobs: turns.map(({ call }) => call.logprobs),
    },
  ];
}

function stepResult(step: TrialStep): Json {
  const usage = step.turns.reduce<Usage>((sum, turn) => addUsage(sum, turn.call.usage), NO_USAGE);
  const costs = step.turns.map((turn) => turn.call.costUsd);
  const cost = costs.includes(null) ? null : costs.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  const { verdict } = step;
  return {
    step_name: step.name,
    agent_result: usageFields(usage, cost),
    verifier_result: verdict ? verifierResult(verdict.reward, verdict.rewards) : null,
  };
}

/** Only durations are recorded, so the phases are laid end to end from the start of the attempt that counts. */
function phases({ timings }: RolloutResult): Json {
  let at = timings.startedAt;
  const phase = (durationMs: number | null): Json | null => {
    if (durationMs === null) return null;
    const startedAt = at;
    at += durationMs;
    return { started_at: isoTime(startedAt), finished_at: isoTime(at) };
  };
  return {
    environment_setup: phase(timings.provisionMs),
    agent_setup: null,
    agent_execution: phase(timings.agentMs),
    verifier: phase(timings.verifyMs),
  };
}
