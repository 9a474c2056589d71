import type { ScriptedTurn } from '../scripted/script.js';
import type { SampledToken } from './sampler.js';

/** A sampled answer, before it is written in the form of an API. */
export interface Answered {
  model: string;
  turn: number;
  said: ScriptedTurn;
  prompt: readonly number[];
  tokens: readonly SampledToken[];
  /** The text of the ids, end of turn left out. */
  text: string;
  finishReason: 'stop' | 'length';
  sequenceId: string;
  policyVersion: string;
  /** How the ids are told: as they were sampled, one too few, or not at all. */
  told: 'truly' | 'one-id-missing' | 'not';
  textOf(id: number): string;
}

/** The ids that are told; log-probabilities are always all told. */
export function toldIds({ tokens, told }: Answered): number[] {
  const ids = tokens.map(({ id }) => id);
  return told === 'one-id-missing' ? ids.slice(0, -1) : ids;
}

export const usageOf = ({ prompt, tokens }: Answered) => ({
  prompt_tokens: prompt.length,
  completion_tokens: tokens.length,
  total_tokens: prompt.length + tokens.length,
});
