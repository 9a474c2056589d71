import { LongrunError } from '../core/errors.js';
import type { Usage } from '../core/rollout/usage.js';
import { POLICY_VERSION_HEADER } from './call-headers.js';

/** A certain token has log-probability 0; engines answer a rounding error more. */
const MOST_LOGPROB = 0.01;

/** What an answer says of what was sampled. */
export interface ToldTokens {
  promptTokenIds: readonly number[] | null;
  completionTokenIds: readonly number[] | null;
  logprobs: readonly (number | null)[] | null;
}

export interface SampledTokens {
  promptTokenIds: number[];
  completionTokenIds: number[];
  /** One per completion id. */
  logprobs: number[];
}

export interface AskedTokens {
  endpoint: string;
  /** `--token-api` of the run. */
  tokenApi: string;
  /** What the answer cost, whatever it is worth. */
  usage: Usage;
  /** The ids that were sent; null where the endpoint rendered the prompt. */
  sent: readonly number[] | null;
}

/**
 * The ids and log-probabilities that an endpoint was asked for, or the error of an answer without them:
 * `model_tokens_invalid`, retryable where they are told and wrong, not where they are not told at all.
 */
export function requireSampled(told: ToldTokens, asked: AskedTokens): SampledTokens {
  const { promptTokenIds, completionTokenIds, logprobs } = told;
  if (promptTokenIds === null || completionTokenIds === null || logprobs === null)
    throw untold(asked, missing(told));
  const problem = wrong(promptTokenIds, completionTokenIds, logprobs, asked.sent);
  if (problem !== null) throw invalid(asked, problem, { retryable: true });
  return {
    promptTokenIds: [...promptTokenIds],
    completionTokenIds: [...completionTokenIds],
    logprobs: logprobs as number[],
  };
}

function missing({ promptTokenIds, completionTokenIds, logprobs }: ToldTokens): string {
  const names = [
    promptTokenIds === null ? 'the token ids of the prompt' : [],
    completionTokenIds === null ? 'the token ids that were sampled' : [],
    logprobs === null ? 'their log-probabilities' : [],
  ].flat();
  return `the answer lacks ${names.join(', ')}`;
}

function wrong(
  prompt: readonly number[],
  completion: readonly number[],
  logprobs: readonly (number | null)[],
  sent: readonly number[] | null,
): string | null {
  if (completion.length !== logprobs.length)
    return `the answer has ${completion.length} sampled token ids and ${logprobs.length} log-probabilities`;
  if (prompt.length === 0) return 'the answer has an empty prompt';
  if (sent !== null && (sent.length !== prompt.length || sent.some((id, i) => prompt[i] !== id)))
    return 'the answer is to another prompt than the one that was sent';
  const bad = [...prompt, ...completion].find((id) => !Number.isSafeInteger(id) || id < 0);
  if (bad !== undefined) return `the answer has ${bad} among its token ids`;
  const strange = logprobs.find((value) => value === null || !Number.isFinite(value) || value > MOST_LOGPROB);
  return strange === undefined ? null : `the answer has ${strange} among its log-probabilities`;
}

const untold = (asked: AskedTokens, problem: string): LongrunError =>
  invalid(asked, problem, {
    hint: `--token-api ${asked.tokenApi} asks for them; docs/tokens.md says which endpoint gives what`,
  });

function invalid(
  { endpoint, usage }: AskedTokens,
  problem: string,
  options: { retryable?: boolean; hint?: string },
): LongrunError {
  return new LongrunError('model_tokens_invalid', `${endpoint}: ${problem}`, {
    ...options,
    details: { endpoint, usage },
  });
}

/**
 * The version of the weights that sampled: what the answer's header says, else what its body does, else the
 * checkpoint that a Tinker path names. Null when nobody says.
 */
export function policyVersionOf(
  headers: Headers,
  said: string | number | null | undefined,
  model: string,
): string | null {
  const named = headers.get(POLICY_VERSION_HEADER) ?? said;
  if (named !== null && named !== undefined) return String(named);
  const weights = /\/sampler_weights\/([^/]+)$/.exec(model);
  if (weights === null || !/(?:^|;)tinker:\/\//.test(model.slice(0, weights.index))) return null;
  return weights[1] as string;
}
