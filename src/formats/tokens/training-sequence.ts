/** One model call as it was sampled, of which everything that training needs is known. */
export interface SampledTurn {
  /** Index of the turn in its episode. */
  turn: number;
  /** The whole prompt of this call, not only what is new in it. */
  promptTokenIds: readonly number[];
  completionTokenIds: readonly number[];
  /** One per completion id; null where the ids were not sampled by a model that told them. */
  logprobs: readonly number[] | null;
  /** Tinker's id of the sampled sequence. */
  sequenceId: string | null;
  policyVersion: string | null;
  /** Stays in the sequence as context and is not trained. */
  masked: boolean;
}

/** A run of sampled ids in a training sequence: ids `start` to `start + length`, all of one turn. */
export interface SampledSpan {
  turn: number;
  start: number;
  /** May be 0: the call is part of the sequence, and sampled nothing. */
  length: number;
  logprobs: readonly number[] | null;
  sequenceId: string | null;
  policyVersion: string | null;
  masked: boolean;
}

/** A stretch of turns in which each prompt extends the one before token by token. It begins with prompt ids. */
export interface TrainingSequence {
  ids: readonly number[];
  /** In order, without overlap; ids outside of them were prompts. */
  spans: readonly SampledSpan[];
}

/** Why an episode gives no training sequences. */
export interface TokenProblem {
  code:
    | 'no_turns'
    | 'no_sampled_ids'
    | 'bad_token_ids'
    | 'bad_logprobs'
    | 'compressed'
    | 'no_reward'
    | 'no_logprobs'
    | 'not_tokenizable';
  /** One sentence that names the turn, counted from 1. */
  reason: string;
}

/** Whether every sampled id of these sequences has its log-probability. */
export function hasLogprobs(sequences: readonly TrainingSequence[]): boolean {
  return sequences.every(({ spans }) => spans.every(({ logprobs }) => logprobs !== null));
}

/** The policy versions that sampled these sequences, each once, in order; null = unknown. */
export function policyVersions(sequences: readonly TrainingSequence[]): (string | null)[] {
  return [...new Set(sequences.flatMap(({ spans }) => spans.map(({ policyVersion }) => policyVersion)))];
}
