import type { SampledTurn, TokenProblem } from './training-sequence.js';

/** A certain token has log-probability 0; engines answer a rounding error more. Atropos reads 1.0 as "not trained". */
const MOST_LOGPROB = 0.01;

/** Tinker sends ids as 32-bit integers. */
const MOST_TOKEN_ID = 2 ** 31 - 1;

/** What is wrong with the ids and log-probabilities of a turn, or null. */
export function checkTurn(turn: SampledTurn): TokenProblem | null {
  const name = `turn ${turn.turn + 1}`;
  const { promptTokenIds, completionTokenIds, logprobs } = turn;
  if (promptTokenIds.length === 0) return badIds(`${name} has an empty prompt`);
  const badPrompt = promptTokenIds.find((id) => !isTokenId(id));
  if (badPrompt !== undefined) return badIds(`the prompt of ${name} has ${badPrompt} among its token ids`);
  const badId = completionTokenIds.find((id) => !isTokenId(id));
  if (badId !== undefined) return badIds(`${name} has ${badId} among its sampled token ids`);
  if (logprobs === null) return null;
  if (logprobs.length !== completionTokenIds.length)
    return badLogprobs(
      `${name} has ${completionTokenIds.length} sampled token ids and ${logprobs.length} log-probabilities`,
    );
  const bad = logprobs.find((value) => !Number.isFinite(value) || value > MOST_LOGPROB);
  return bad === undefined ? null : badLogprobs(`${name} has ${bad} among its log-probabilities`);
}

const isTokenId = (id: number): boolean => Number.isInteger(id) && id >= 0 && id <= MOST_TOKEN_ID;
const badIds = (reason: string): TokenProblem => ({ code: 'bad_token_ids', reason });
const badLogprobs = (reason: string): TokenProblem => ({ code: 'bad_logprobs', reason });
