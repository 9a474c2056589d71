import { addUsage, NO_USAGE } from '../../core/rollout/usage.js';
import type { EpisodeTurn } from '../../core/trajectory/episode.schema.js';

type Json = Record<string, unknown>;

/** What one answer took; null where nothing is known of it. */
export function metricsOf(turn: EpisodeTurn): Json | null {
  const { usage, costUsd, latencyMs, finishReason, promptTokenIds, completionTokenIds, logprobs } = turn;
  const extra = compact({ latency_ms: latencyMs, finish_reason: finishReason });
  const metrics = compact({
    prompt_tokens: usage?.promptTokens ?? null,
    completion_tokens: usage?.completionTokens ?? null,
    cached_tokens: usage?.cachedTokens ?? null,
    cost_usd: costUsd,
    prompt_token_ids: promptTokenIds,
    completion_token_ids: completionTokenIds,
    logprobs,
    extra: Object.keys(extra).length === 0 ? null : extra,
  });
  return Object.keys(metrics).length === 0 ? null : metrics;
}

/** Sums over the answers of which something is known. The cost is known only where every one of them has one. */
export function finalMetrics(turns: readonly EpisodeTurn[], totalSteps: number): Json {
  const sampled = turns.filter((turn) => turn.usage !== null);
  const usage = sampled.reduce((sum, turn) => addUsage(sum, turn.usage ?? NO_USAGE), NO_USAGE);
  const costs = sampled.map((turn) => turn.costUsd);
  return compact({
    total_prompt_tokens: usage.promptTokens,
    total_completion_tokens: usage.completionTokens,
    total_cached_tokens: usage.cachedTokens,
    total_cost_usd: costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    total_steps: totalSteps,
  });
}

export function resultFacts(result: EpisodeTurn['results'][number]): Json {
  return {
    success: result.success,
    error: result.error,
    exit_code: result.exitCode,
    duration_ms: result.durationMs,
  };
}

/** Without the members that are null: ATIF's optional fields are left out. */
export function compact(value: Json): Json {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== null && member !== undefined),
  );
}
