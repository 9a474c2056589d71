import { effectiveReward } from '../../core/trajectory/effective-reward.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { estimateTokens } from '../../model/index.js';
import { episodeTokens } from '../compress/count-tokens.js';
import type { EpisodeFilter } from './filter.js';
import type { FilterOptions } from './options.js';

/** The filters that compare one quantity of an episode with what was asked for; those that were not are left out. */
export function boundFilters(options: FilterOptions): EpisodeFilter[] {
  const { minReward, maxReward, minTurns, maxTurns, maxTokens, stopReasons } = options;
  const filters: (EpisodeFilter | false)[] = [
    stopReasons.length > 0 && {
      name: 'stop_reason',
      check: ({ outcome: { stopReason } }) =>
        stopReason !== null && stopReasons.includes(stopReason)
          ? null
          : `stop reason ${stopReason ?? 'unknown'}`,
    },
    (minReward !== null || maxReward !== null) && {
      name: 'reward',
      check: (episode) => outside('reward', rewardOf(episode, options), minReward, maxReward),
    },
    {
      name: 'turns',
      check: (episode) => outside('turns', answersOf(episode).length, minTurns, maxTurns),
    },
    options.requireToolCalls && {
      name: 'tool_calls',
      check: (episode) =>
        answersOf(episode).some(({ toolCalls }) => toolCalls.length > 0) ? null : 'no tool was called',
    },
    options.requireReasoning && {
      name: 'reasoning',
      check: (episode) =>
        answersOf(episode).some(({ reasoning }) => (reasoning ?? '').trim() !== '')
          ? null
          : 'no turn has reasoning',
    },
    maxTokens !== null && {
      name: 'tokens',
      check: (episode) => outside('tokens', episodeTokens(episode, estimateTokens), null, maxTokens),
    },
  ];
  return filters.filter((filter) => filter !== false);
}

function outside(what: string, value: number | null, min: number | null, max: number | null): string | null {
  if (value === null) return `no ${what}`;
  if (min !== null && !(value >= min)) return `${what} ${value}, at least ${min} is asked for`;
  return max !== null && !(value <= max) ? `${what} ${value}, at most ${max} is asked for` : null;
}

/** What failed for infrastructure reasons, or was cancelled, was never scored, whatever was said about it later. */
function rewardOf({ outcome, rewards }: Episode, { rewardOrder }: FilterOptions): number | null {
  const unscored = outcome.failureClass === 'infrastructure' || outcome.failureClass === 'operator';
  return unscored ? null : effectiveReward(rewards, rewardOrder);
}

type Answer = Extract<TrajectoryMessage, { role: 'assistant' }>;

/** A turn is an answer of the model. */
function answersOf({ trajectory }: Episode): Answer[] {
  return trajectory.timesteps.flatMap(({ chats }) =>
    chats.flatMap(({ messages }) =>
      messages.filter((message): message is Answer => message.role === 'assistant'),
    ),
  );
}
