import type { Usage } from '../core/rollout/usage.js';
import { type ModelPrice, modelFacts } from './model-table.js';

const MILLION = 1_000_000;

/**
 * The price of a model: what the run's settings say, else the built-in table. Null when unknown.
 * The table holds vendors' prices, so it says nothing of a model served on this machine.
 */
export function priceOf(
  model: string,
  overrides: Readonly<Record<string, ModelPrice>>,
  served: { locally: boolean },
): ModelPrice | null {
  const override = overrides[model];
  if (override !== undefined) return override;
  return served.locally ? null : (modelFacts(model)?.price ?? null);
}

/** US dollars of one call. */
export function costUsd(usage: Usage, price: ModelPrice): number {
  const uncached = Math.max(0, usage.promptTokens - usage.cachedTokens);
  const cached = usage.cachedTokens * (price.cachedInput ?? price.input);
  return (uncached * price.input + cached + usage.completionTokens * price.output) / MILLION;
}
