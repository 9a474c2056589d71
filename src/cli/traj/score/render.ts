import { totalTokens } from '../../../core/rollout/usage.js';
import { count, dollars, reward } from '../../../report/quantities.js';
import type { Asked } from '../../../trajectories/score/ask-scores.js';
import type { ScoreCounts } from '../../../trajectories/score/score-episodes.js';
import { borrowedParts, type ScorePlan } from './plan.js';

export interface ScoreReport {
  counts: ScoreCounts;
  asked: Asked | null;
  plan: ScorePlan;
  files: readonly string[];
  /** Lines of the input that could not be read. */
  rejected: number;
}

const REASONS_SHOWN = 5;

/** For a person, unescaped. */
export function scoreLines(report: ScoreReport): string[] {
  const { counts, asked, files, plan } = report;
  const lines = [
    `${counts.rewarded} of ${counts.rows} rows have a new reward${plan.scorer ? ` by ${plan.scorer.name}` : ''} (${plan.shape.kind}).`,
  ];
  if (asked) lines.push(askedLine(asked));
  if (counts.unscorable > 0)
    lines.push(
      `${counts.unscorable} have nothing to judge: infrastructure failures, cancelled, or without an answer.`,
    );
  if (counts.failed > 0) lines.push(`${counts.failed} have none, and are written as they were:`);
  const reasons = [...counts.reasons].sort(([, a], [, b]) => b - a);
  for (const [reason, n] of reasons.slice(0, REASONS_SHOWN)) lines.push(`  ${n} × ${reason}`);
  if (counts.failed > 0 && borrowedParts(plan).length > 0)
    lines.push(`  ${borrowedParts(plan).join(', ')} come from a reward model: name one with --reward-model.`);
  const { effective } = counts;
  if (effective.count > 0)
    lines.push(
      `Reward that counts (${plan.order.join(' > ')}): mean ${reward(effective.mean)}, from ${reward(effective.min)} to ${reward(effective.max)}.`,
    );
  if (counts.overruled > 0)
    lines.push(
      `In ${counts.overruled} rows another source counts before the new reward: see --reward-order.`,
    );
  return [...lines, ...files.map((file) => `Wrote ${file}`)];
}

function askedLine({ scored, reused, failures, usage, costUsd }: Asked): string {
  const facts = [`${scored} scored now`, `${reused} scored before`, `${failures.size} failed`];
  if (totalTokens(usage) > 0) facts.push(`${count(totalTokens(usage))} tokens`);
  if (costUsd !== null && costUsd > 0) facts.push(dollars(costUsd));
  return `${facts.join(' · ')}.`;
}

/** `--json`. */
export function scoreDocument({ counts, asked, plan, files, rejected }: ScoreReport): unknown {
  const { effective } = counts;
  return {
    rows: counts.rows,
    rewarded: counts.rewarded,
    overruled: counts.overruled,
    failed: counts.failed,
    unscorable: counts.unscorable,
    rejected,
    reasons: Object.fromEntries(counts.reasons),
    reward_model: plan.scorer?.name ?? null,
    shape: plan.shape.kind,
    asked: asked && {
      scored: asked.scored,
      reused: asked.reused,
      failed: asked.failures.size,
      prompt_tokens: asked.usage.promptTokens,
      completion_tokens: asked.usage.completionTokens,
      cost_usd: asked.costUsd,
    },
    effective: {
      order: plan.order,
      count: effective.count,
      mean: effective.mean,
      sd: effective.sd,
      min: effective.min,
      max: effective.max,
    },
    files,
  };
}
