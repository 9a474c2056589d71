import { RunningMoments } from '../../core/statistics/running-moments.js';
import { effectiveSignal } from '../../core/trajectory/effective-reward.js';
import type { RewardSource } from '../../core/trajectory/reward-signal.schema.js';
import type { EpisodeInputs } from '../files/inputs.js';
import type { RowOutput } from '../files/output.js';
import { episodeLine } from '../longrun-format.js';
import { addRewards, type RewardOptions } from './add-rewards.js';
import { type Asked, isScorable } from './ask-scores.js';
import { EVALUATED_FILE, evaluatedLine } from './evaluated-line.js';
import type { ScoreBook } from './score-book.js';

export interface ScoreCounts {
  /** Rows written: all that were read. */
  rows: number;
  /** With a new reward of the kind that was asked for. */
  rewarded: number;
  /** Of these, how many have another reward that counts before the new one. */
  overruled: number;
  /** Without, and why: the first words for each reason that occurred. */
  failed: number;
  reasons: Map<string, number>;
  /** Infrastructure failures, cancellations and rollouts without an answer: nothing to judge. */
  unscorable: number;
  /** Of the rewards that count now. */
  effective: RunningMoments;
}

export interface WriteOptions extends RewardOptions {
  order: readonly RewardSource[];
  /** The least score that is a success in agoge's evaluated trajectories; null = those are not written. */
  evaluated: number | null;
}

const MAX_REASONS = 20;

/** Writes every row with its rewards: no row is lost for want of one. */
export async function writeScored(
  inputs: Pick<EpisodeInputs, 'read'>,
  output: Pick<RowOutput, 'write' | 'beside'>,
  asked: { book: ScoreBook; result: Asked } | null,
  options: WriteOptions,
): Promise<ScoreCounts> {
  const counts: ScoreCounts = {
    rows: 0,
    rewarded: 0,
    overruled: 0,
    failed: 0,
    reasons: new Map(),
    unscorable: 0,
    effective: new RunningMoments(),
  };
  for await (const episode of inputs.read()) {
    const scorable = isScorable(episode);
    const key = asked?.book.keyOf(episode) ?? null;
    const kept = key === null || !scorable ? null : (asked?.book.get(key) ?? null);
    const scored = scorable ? addRewards(episode, kept, options) : { episode, added: [], lacks: [] };
    await output.write(episodeLine(scored.episode));
    if (kept && options.evaluated !== null)
      await output.beside(EVALUATED_FILE).write(evaluatedLine(episode, kept, options.evaluated));
    counts.rows += 1;
    const unjudged = asked !== null && kept === null;
    if (!scorable) counts.unscorable += 1;
    else if (unjudged || scored.lacks.length > 0)
      note(counts, unjudged ? whyNot(asked, key) : `lacks ${scored.lacks.join(', ')}`);
    else counts.rewarded += 1;
    const effective = effectiveSignal(scored.episode.rewards, options.order);
    if (effective) counts.effective.add(effective.value);
    if (scored.added.length > 0 && scored.added.every(({ source }) => source !== effective?.source))
      counts.overruled += 1;
  }
  return counts;
}

function whyNot(asked: { result: Asked }, key: string | null): string {
  const error = key === null ? undefined : asked.result.failures.get(key);
  return error?.message ?? 'it appeared in the input while others were scored';
}

function note(counts: ScoreCounts, reason: string): void {
  counts.failed += 1;
  const known = counts.reasons.has(reason) || counts.reasons.size < MAX_REASONS;
  const name = known ? reason : 'other reasons';
  counts.reasons.set(name, (counts.reasons.get(name) ?? 0) + 1);
}
