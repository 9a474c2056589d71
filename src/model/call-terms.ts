import type { Usage } from '../core/rollout/usage.js';
import { estimatePrompt } from './estimate-tokens.js';
import type { ModelClient, ModelRequest } from './model-client.js';
import type { ModelPrice } from './model-table.js';
import { costUsd } from './prices.js';

/** What an answer may cost where neither the run nor the model table limits it. */
const ASSUMED_MAX_OUTPUT = 32_768;

/** What calls of a model cost and how large they may be. */
export interface CallTerms {
  /** US dollars per million tokens of the requested model; null = unknown. */
  price: ModelPrice | null;
  /** The run's settings name the price: it goes before the cost that an endpoint reports itself. */
  priceIsSet: boolean;
  contextWindow: number | null;
  maxOutput: number | null;
}

/** Upper bounds of a call, before it is made. */
export function callBound(request: ModelRequest, terms: CallTerms): ReturnType<ModelClient['bound']> {
  const promptTokens = estimatePrompt(request.messages, request.tools);
  const completionTokens = request.maxTokens ?? terms.maxOutput ?? ASSUMED_MAX_OUTPUT;
  const usage = { promptTokens, cachedTokens: 0, completionTokens };
  return { promptTokens, completionTokens, costUsd: callCost(usage, terms) };
}

/** US dollars of a call; null when no price is known. */
export function callCost(usage: Usage, { price }: CallTerms): number | null {
  return price === null ? null : costUsd(usage, price);
}
