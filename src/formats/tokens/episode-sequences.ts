import type { Episode, EpisodeTurn } from '../../core/trajectory/episode.schema.js';
import type { TimeStep } from '../../core/trajectory/trajectory.schema.js';
import { type Segmented, segment } from './segment.js';
import type { SampledTurn, TokenProblem } from './training-sequence.js';

/** The training sequences of an episode, or why it has none. Only ids of the record are used, never decoded text. */
export function episodeSequences(episode: Episode): Segmented {
  if ((episode.compressed?.summarisedTurns ?? null) !== null)
    return refuse('compressed', 'it was compressed: what the model saw is not what the row says');
  const turns: SampledTurn[] = [];
  for (const index of modelTurns(episode)) {
    const turn = episode.turns[index] as EpisodeTurn;
    if (turn.promptTokenIds === null || turn.completionTokenIds === null)
      return refuse('no_sampled_ids', `turn ${index + 1} was recorded without ${missingIds(turn)}`);
    turns.push({
      turn: index,
      promptTokenIds: turn.promptTokenIds,
      completionTokenIds: turn.completionTokenIds,
      logprobs: turn.logprobs,
      sequenceId: turn.sequenceId,
      policyVersion: turn.policyVersion,
      masked: turn.masked ?? false,
    });
  }
  if (turns.length === 0) return refuse('no_turns', 'no model took a turn in it');
  const segmented = segment(turns);
  return segmented.sequences?.length === 0
    ? refuse('no_sampled_ids', 'nothing was sampled in it')
    : segmented;
}

/** The indices of the turns in which a model answered; a timestep of a bare prompt is none. */
export function modelTurns(episode: Episode): number[] {
  return episode.trajectory.timesteps.flatMap((step, index) =>
    hasAnswer(step) && episode.turns[index] !== undefined ? [index] : [],
  );
}

function hasAnswer({ chats }: TimeStep): boolean {
  return chats.some(({ messages }) => messages.some(({ role }) => role === 'assistant'));
}

function missingIds({ promptTokenIds, completionTokenIds }: EpisodeTurn): string {
  if (promptTokenIds !== null) return 'the ids that were sampled';
  return completionTokenIds === null ? 'token ids' : 'the ids of its prompt';
}

const refuse = (code: TokenProblem['code'], reason: string): Segmented => ({
  sequences: null,
  problem: { code, reason },
});
