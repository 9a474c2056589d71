import { badInput } from '../core/errors.js';
import type { RunConfig } from '../core/run/run-config.schema.js';
import { DEFAULT_BASE_URL, isLoopback } from './endpoint.js';
import { priceOf } from './prices.js';
import { isScripted } from './scripted/scripted-name.js';

type Priced = Pick<RunConfig, 'agent' | 'model' | 'baseUrl' | 'prices'>;

/** A budget in dollars needs to know what a call costs. Throws `bad_input` naming the model. */
export function requirePrice({ agent, model, baseUrl, prices }: Priced): void {
  if (agent !== 'tool-calling' || model === null || isScripted(model)) return;
  if (priceOf(model, prices, { locally: isLoopback(baseUrl ?? DEFAULT_BASE_URL) }) !== null) return;
  throw badInput(
    `A budget in US dollars cannot be kept: the price of ${model} is not known.`,
    `Set it in longrun.yaml (prices: {${JSON.stringify(model)}: {input: 0.5, output: 1.5}}, US dollars per million tokens), or give the budget in tokens.`,
    { model },
  );
}
