import type { Usage } from '../../core/rollout/usage.js';
import type { RolloutResult } from '../../store/records/records.schema.js';
import { exceptionInfo } from './exception-info.js';
import { agentName, modelInfo } from './model-info.js';
import { type HarborJob, jobTime, trialName } from './trial-records.js';
import { verifierResult } from './trial-result.js';

type Json = Record<string, unknown>;

/** What the run's results amount to: a part of the run's totals. */
export interface JobTotals {
  nRollouts: number;
  nScored: number;
  nCancelled: number;
  nOpen: number;
  meanReward: number | null;
  meanRewardWithFailures: number | null;
  passAt: Record<string, { estimate: number | null }>;
  usage: Usage;
  costUsd: number | null;
}

/** result.json of a job: Harbor's JobResult with its statistics over all trials that have a result. */
export function jobResult(job: HarborJob, results: readonly RolloutResult[], totals: JobTotals): Json {
  const finishedAt = results.reduce(
    (last, result) => Math.max(last, result.timings.finishedAt),
    job.run.createdAt,
  );
  const model = modelInfo(job.run);
  const evalsKey = [agentName(job.run), model?.name, job.run.environment.name].filter(Boolean).join('__');
  return {
    id: job.uuidOf(job.run.runId),
    started_at: jobTime(job.run.createdAt),
    updated_at: jobTime(finishedAt),
    finished_at: totals.nOpen === 0 ? jobTime(finishedAt) : null,
    n_total_trials: totals.nRollouts,
    stats: {
      n_completed_trials: results.length,
      n_errored_trials: results.filter((result) => exceptionInfo(result) !== null).length,
      n_running_trials: 0,
      n_pending_trials: totals.nOpen,
      n_cancelled_trials: totals.nCancelled,
      n_retries: results.reduce((sum, result) => sum + Math.max(0, result.attempts - 1), 0),
      evals: { [evalsKey]: evalStats(results, totals) },
      n_input_tokens: totals.usage.promptTokens,
      n_cache_tokens: totals.usage.cachedTokens,
      n_output_tokens: totals.usage.completionTokens,
      cost_usd: totals.costUsd,
    },
  };
}

function evalStats(results: readonly RolloutResult[], totals: JobTotals): Json {
  const rewardStats: Record<string, Record<string, string[]>> = {};
  const exceptionStats: Record<string, string[]> = {};
  for (const result of results) {
    const name = trialName(result);
    const rewards = verifierResult(result.reward, result.rewards)?.rewards ?? {};
    for (const [key, value] of Object.entries(rewards)) append(at(rewardStats, key), String(value), name);
    const exception = exceptionInfo(result);
    if (exception) append(exceptionStats, exception.exception_type, name);
  }
  return {
    n_trials: totals.nScored,
    n_errors: Object.values(exceptionStats).reduce((sum, names) => sum + names.length, 0),
    metrics: [{ mean: totals.meanReward, mean_with_failures: totals.meanRewardWithFailures }],
    pass_at_k: Object.fromEntries(
      Object.entries(totals.passAt).flatMap(([k, { estimate }]) =>
        estimate === null ? [] : [[k, estimate]],
      ),
    ),
    reward_stats: rewardStats,
    exception_stats: exceptionStats,
  };
}

function at(stats: Record<string, Record<string, string[]>>, key: string): Record<string, string[]> {
  stats[key] ??= {};
  return stats[key];
}

function append(lists: Record<string, string[]>, key: string, name: string): void {
  lists[key] ??= [];
  lists[key].push(name);
}
