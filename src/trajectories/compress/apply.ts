import { append } from '../../core/lists/append.js';
import type { Episode, EpisodeTurn } from '../../core/trajectory/episode.schema.js';
import type { TimeStep, TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import type { Turn } from './turns.js';

/**
 * The episode without some of its turns. The summary stands where the first of them stood; instructions of
 * turns that went, and tools that were first offered there, come before the next turn that stays.
 * Ids and log-probabilities go: they belong to a conversation that was never sampled like this.
 */
export function withoutTurns(
  episode: Episode,
  turns: readonly Turn[],
  removed: ReadonlySet<number>,
  summary: TrajectoryMessage,
): Pick<Episode, 'trajectory' | 'turns'> {
  const { timesteps } = episode.trajectory;
  const kept: TimeStep[] = [];
  let before: TrajectoryMessage[] = [];
  let tools: TimeStep['availableToolSchemas'] = null;
  let summarised = false;
  timesteps.forEach((step, index) => {
    if (removed.has(index)) {
      append(before, turns[index]?.instructions ?? []);
      if (!summarised) before.push(summary);
      summarised = true;
      tools = step.availableToolSchemas ?? tools;
      return;
    }
    kept.push({
      ...step,
      ...restated(step, before),
      availableToolSchemas: step.availableToolSchemas ?? tools,
    });
    before = [];
    tools = null;
  });
  return {
    trajectory: { ...episode.trajectory, timesteps: kept },
    turns: episode.turns.filter((_, index) => !removed.has(index)).map(withoutIds),
  };
}

function restated({ chats }: TimeStep, before: readonly TrajectoryMessage[]): Pick<TimeStep, 'chats'> {
  const plain = chats.map((chat, i) => ({
    messages: i === 0 ? [...before, ...chat.messages] : chat.messages,
    logprobs: null,
    topTokens: null,
    tokenTopLogprobs: null,
  }));
  return { chats: plain };
}

function withoutIds(turn: EpisodeTurn): EpisodeTurn {
  return { ...turn, promptTokenIds: null, completionTokenIds: null, logprobs: null, sequenceId: null };
}
