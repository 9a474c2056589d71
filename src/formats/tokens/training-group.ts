import { centred, type Moments, moments } from '../../core/advantage/moments.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { ExportContext, Refusal } from '../export-format.js';
import { episodeSequences } from './episode-sequences.js';
import { hasLogprobs, type TokenProblem, type TrainingSequence } from './training-sequence.js';

/** A rollout with what can be trained of it. */
export interface TrainingMember {
  episode: Episode;
  /** Null: no score. Such a member is in no mean. */
  reward: number | null;
  /** Empty where it gives no rows. A scored member stays in the baseline all the same. */
  sequences: readonly TrainingSequence[];
  /** One per turn of the episode: as an estimator has set it, else reward − mean of the scored members. */
  advantages: readonly number[];
}

/** The rollouts of one task as training formats see them. */
export interface TrainingGroup {
  groupId: string;
  /** In the order of the episodes. */
  members: readonly TrainingMember[];
  /** Of the rewards of all scored members, each counted once. */
  baseline: Moments;
  /** Members that give no rows, and why. */
  refused: readonly Refusal[];
}

export interface GroupDemands {
  /** Rows need a score. */
  reward: boolean;
  /** Rows need the log-probability of every sampled id. */
  logprobs: boolean;
}

/** All episodes of one group, at least one. */
export function trainingGroup(
  episodes: readonly Episode[],
  { rewardOf }: Pick<ExportContext, 'rewardOf'>,
  demands: GroupDemands,
): TrainingGroup {
  const rewards = episodes.map(rewardOf);
  const baseline = moments(rewards.filter((reward) => reward !== null));
  const refused: Refusal[] = [];
  const members = episodes.map((episode, i): TrainingMember => {
    const reward = rewards[i] ?? null;
    const { sequences, problem } = episodeSequences(episode);
    const obstacle = problem ?? unmet(episode, reward, sequences, demands);
    if (obstacle !== null) refused.push(refusal(episode, obstacle.code, obstacle.reason));
    const centredReward = reward === null ? 0 : centred(reward, baseline);
    return {
      episode,
      reward,
      sequences: obstacle === null ? (sequences ?? []) : [],
      advantages: episode.trajectory.timesteps.map(({ advantage }) => advantage ?? centredReward),
    };
  });
  return { groupId: groupIdOf(episodes[0] as Episode), members, baseline, refused };
}

function unmet(
  { outcome }: Episode,
  reward: number | null,
  sequences: readonly TrainingSequence[],
  demands: GroupDemands,
): TokenProblem | null {
  if (demands.reward && reward === null) {
    const why =
      outcome.failureClass === 'agent' || outcome.stopReason === null ? '' : `: ${outcome.stopReason}`;
    return { code: 'no_reward', reason: `it has no reward${why}` };
  }
  if (demands.logprobs && !hasLogprobs(sequences))
    return {
      code: 'no_logprobs',
      reason:
        'its ids were recorded without log-probabilities; --without-logprobs writes rows that need none',
    };
  return null;
}

/** The members of which something can be trained. */
export function trainable({ members }: TrainingGroup): TrainingMember[] {
  return members.filter(({ sequences }) => sequences.length > 0);
}

/** An episode without a group is one of its own. */
export const groupIdOf = ({ groupId, sessionId }: Episode): string => groupId ?? sessionId;

export function refusal({ sessionId }: Episode, code: string, reason: string): Refusal {
  return { sessionId, code, reason };
}

/** Refuses the members of a group in which all have the same score: a trainer learns nothing from it. */
export function refuseZeroVariance(members: readonly TrainingMember[]): Refusal[] {
  const reason = `the rollouts of its group that have ids all have the reward ${members[0]?.reward}; --keep-zero-variance writes them nevertheless`;
  return members.map(({ episode }) => refusal(episode, 'zero_variance', reason));
}
