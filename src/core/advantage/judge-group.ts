import { LongrunError } from '../errors.js';
import type { GroupConfig } from '../group/group-config.schema.js';
import type { AdvantageGroup, GroupAdvantages } from './group.js';
import { BATCH_ESTIMATORS, ESTIMATORS } from './index.js';
import { shapeByLength } from './length-shaping.js';
import { scoredOf } from './member-advantages.js';
import { moments } from './moments.js';

/** What a group came to. */
export interface GroupJudgement {
  valid: boolean;
  /** Why it is not valid; null when it is. */
  reason: string | null;
  /** Null where it is not valid, or where the estimator needs a batch of groups. */
  advantages: GroupAdvantages | null;
  /** Of the rewards as they were given; null without any. `std` is the population's. */
  mean: number | null;
  std: number | null;
  /** Nothing to learn from: what the estimator is given, penalties for length taken off, is all the same. */
  zeroVariance: boolean;
}

/** Members of a group that need a score for it to be valid. */
export function neededScores({ groupPolicy, minValid, groupSize }: GroupConfig): number {
  return groupPolicy === 'complete' ? (groupSize ?? 1) : (minValid ?? 1);
}

/** Whether a group may go to trainers, and its advantages; members without a score enter nothing. */
export function judgeGroup(config: GroupConfig, group: AdvantageGroup): GroupJudgement {
  const rewards = scoredOf(group).map(({ reward }) => reward);
  const shaped = shapedGroup(config, group);
  const { mean, std } = moments(rewards);
  const spread = {
    mean: rewards.length === 0 ? null : mean,
    std: rewards.length === 0 ? null : std,
    zeroVariance: rewards.length > 0 && moments(scoredOf(shaped).map(({ reward }) => reward)).std === 0,
  };
  if (!Number.isFinite(mean) || !Number.isFinite(std)) {
    const reason = 'its rewards are too large: their mean and spread are no finite numbers';
    return { valid: false, reason, advantages: null, mean: null, std: null, zeroVariance: false };
  }
  const needed = neededScores(config);
  if (rewards.length < needed) {
    const reason = `${rewards.length} of ${group.members.length} members have a score, ${needed} are needed`;
    return { valid: false, reason, advantages: null, ...spread };
  }
  if (BATCH_ESTIMATORS.includes(config.estimator))
    return { valid: true, reason: null, advantages: null, ...spread };
  try {
    const [advantages = null] = ESTIMATORS[config.estimator]([shaped], {
      gamma: config.gamma,
    });
    return { valid: true, reason: null, advantages, ...spread };
  } catch (error) {
    // The estimator cannot take these rewards: no reason to lose the rest of the run.
    if (!LongrunError.is(error, 'bad_input')) throw error;
    return { valid: false, reason: error.message, advantages: null, ...spread };
  }
}

/** With the penalties for length taken off, as the run's settings say: what every estimator is given. */
export function shapedGroup(
  { tokenPenalty, turnPenalty }: GroupConfig,
  group: AdvantageGroup,
): AdvantageGroup {
  if (tokenPenalty === 0 && turnPenalty === 0) return group;
  return shapeByLength(group, { outputTokens: tokenPenalty, turns: turnPenalty });
}
