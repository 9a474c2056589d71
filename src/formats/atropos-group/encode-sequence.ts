import { perToken } from '../tokens/per-token.js';
import type { TrainingSequence } from '../tokens/training-sequence.js';

/** What Atropos' trainers take for "not trained": as a label, and as a log-probability. Tinker's are others. */
export const UNTRAINED_LABEL = -100;
export const UNTRAINED_LOGPROB = 1;

/** The arrays of one sequence of a `ScoredData`, all of the length of its tokens. */
export interface AtroposSequence {
  tokens: readonly number[];
  /** The token id itself where it is trained. */
  masks: number[];
  /** Null where not every sampled id has one. */
  inferenceLogprobs: number[] | null;
}

export function encodeSequence(sequence: TrainingSequence): AtroposSequence {
  const known = sequence.spans.every(({ logprobs }) => logprobs !== null);
  return {
    tokens: sequence.ids,
    masks: perToken(sequence, UNTRAINED_LABEL, (_span, _offset, id) => id),
    inferenceLogprobs: known
      ? perToken(sequence, UNTRAINED_LOGPROB, ({ logprobs }, offset) => logprobs?.[offset] as number)
      : null,
  };
}

/** `advantages` of a sequence: what its turn has where it is trained, 0 elsewhere. */
export function sequenceAdvantages(sequence: TrainingSequence, ofTurn: readonly number[]): number[] {
  return perToken(sequence, 0, ({ turn }) => ofTurn[turn] as number);
}
