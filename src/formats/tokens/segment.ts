import { checkTurn } from './check-turn.js';
import type { SampledSpan, SampledTurn, TokenProblem, TrainingSequence } from './training-sequence.js';

export type Segmented =
  | { sequences: TrainingSequence[]; problem: null }
  | { sequences: null; problem: TokenProblem };

/**
 * The turns of an episode as training sequences: a turn whose prompt begins with exactly the ids so far, prompts
 * and completions, goes on with the sequence; any other begins a new one. Sequences in which nothing was
 * sampled are left out. A turn whose ids or log-probabilities cannot be true refuses the episode.
 */
export function segment(turns: readonly SampledTurn[]): Segmented {
  const stretches: { ids: number[]; spans: SampledSpan[] }[] = [];
  for (const turn of turns) {
    const problem = checkTurn(turn);
    if (problem !== null) return { sequences: null, problem };
    let open = stretches.at(-1);
    if (open === undefined || !startsWith(turn.promptTokenIds, open.ids)) {
      open = { ids: [], spans: [] };
      stretches.push(open);
    }
    for (let i = open.ids.length; i < turn.promptTokenIds.length; i++)
      open.ids.push(turn.promptTokenIds[i] as number);
    open.spans.push(spanOf(turn, open.ids.length));
    for (const id of turn.completionTokenIds) open.ids.push(id);
  }
  return {
    sequences: stretches.filter(({ spans }) => spans.some(({ length }) => length > 0)),
    problem: null,
  };
}

function spanOf(turn: SampledTurn, start: number): SampledSpan {
  const { logprobs, sequenceId, policyVersion, masked } = turn;
  return {
    turn: turn.turn,
    start,
    length: turn.completionTokenIds.length,
    logprobs,
    sequenceId,
    policyVersion,
    masked,
  };
}

function startsWith(ids: readonly number[], prefix: readonly number[]): boolean {
  return prefix.length <= ids.length && prefix.every((id, i) => ids[i] === id);
}
