import { UNTRAINED_LABEL, UNTRAINED_LOGPROB } from './encode-sequence.js';
import type { ScoredItem } from './scored-item.js';

/**
 * What is wrong with an item that is about to be posted, or null. Servers check none of it: a NaN loses a whole
 * batch there, a list too short shifts what is trained.
 */
export function checkItem(item: ScoredItem, groupSize = item.tokens.length): string | null {
  const { tokens, masks, scores, advantages, inference_logprobs, overrides } = item;
  const lists = { tokens, masks, scores, inference_logprobs, overrides, ...(advantages && { advantages }) };
  for (const [name, list] of Object.entries(lists))
    if (list.length !== groupSize) return `${name} has ${list.length} entries, the group ${groupSize}`;
  const score = scores.find((value) => !Number.isFinite(value));
  if (score !== undefined) return `${score} is among the scores`;
  for (let i = 0; i < groupSize; i++) {
    const problem = entryProblem(item, i);
    if (problem !== null) return `entry ${i}: ${problem}`;
  }
  return null;
}

function entryProblem({ tokens, masks, inference_logprobs, advantages }: ScoredItem, i: number) {
  const ids = tokens[i] ?? [];
  if (ids.length === 0) return 'it has no tokens';
  const values = { masks: masks[i], inference_logprobs: inference_logprobs[i], advantages: advantages?.[i] };
  for (const [name, list] of Object.entries(values)) {
    if (name === 'advantages' && advantages === null) continue;
    if (list?.length !== ids.length) return `${list?.length} ${name} for ${ids.length} tokens`;
    const bad = list.find((value) => !Number.isFinite(value));
    if (bad !== undefined) return `${bad} is among its ${name}`;
  }
  for (const [at, id] of ids.entries()) {
    const problem = tokenProblem(id, masks[i]?.[at], inference_logprobs[i]?.[at]);
    if (problem !== null) return `token ${at}: ${problem}`;
  }
  return null;
}

function tokenProblem(id: number, label: number | undefined, logprob: number | undefined): string | null {
  if (!Number.isInteger(id) || id < 0) return `${id} is no token id`;
  if (label !== id && label !== UNTRAINED_LABEL)
    return `the label ${label} is neither its id nor ${UNTRAINED_LABEL}`;
  if ((label === UNTRAINED_LABEL) === (logprob === UNTRAINED_LOGPROB)) return null;
  return `label ${label} with the log-probability ${logprob}`;
}
