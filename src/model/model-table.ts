/** US dollars per million tokens; `cachedInput` null = cached tokens cost as much as others. */
export interface ModelPrice {
  input: number;
  cachedInput: number | null;
  output: number;
}

/** What is known of a model without asking its endpoint. Sizes in tokens. */
export interface ModelFacts {
  contextWindow: number;
  maxOutput: number;
  price: ModelPrice;
}

const facts = (
  contextWindow: number,
  maxOutput: number,
  [input, cachedInput, output]: [number, number | null, number],
): ModelFacts => ({ contextWindow, maxOutput, price: { input, cachedInput, output } });

/**
 * List prices of the vendors' own endpoints, standard tier, without surcharges for long prompts or
 * for writing a cache. Ids without vendor prefix and date. `prices` and `context_window` override.
 */
const MODELS: Record<string, ModelFacts> = {
  'gpt-5': facts(400_000, 128_000, [1.25, 0.125, 10]),
  'gpt-5-1': facts(400_000, 128_000, [1.25, 0.125, 10]),
  'gpt-5-2': facts(400_000, 128_000, [1.75, 0.175, 14]),
  'gpt-5-mini': facts(400_000, 128_000, [0.25, 0.025, 2]),
  'gpt-5-nano': facts(400_000, 128_000, [0.05, 0.005, 0.4]),
  'gpt-5-4': facts(1_050_000, 128_000, [2.5, 0.25, 15]),
  'gpt-5-4-mini': facts(400_000, 128_000, [0.75, 0.075, 4.5]),
  'gpt-5-4-nano': facts(400_000, 128_000, [0.2, 0.02, 1.25]),
  'gpt-4-1': facts(1_047_576, 32_768, [2, 0.5, 8]),
  'gpt-4-1-mini': facts(1_047_576, 32_768, [0.4, 0.1, 1.6]),
  'gpt-4-1-nano': facts(1_047_576, 32_768, [0.1, 0.025, 0.4]),
  'gpt-4o': facts(128_000, 16_384, [2.5, 1.25, 10]),
  'gpt-4o-mini': facts(128_000, 16_384, [0.15, 0.075, 0.6]),
  o3: facts(200_000, 100_000, [2, 0.5, 8]),
  'o4-mini': facts(200_000, 100_000, [1.1, 0.275, 4.4]),
  'claude-opus-4-6': facts(200_000, 128_000, [5, 0.5, 25]),
  'claude-sonnet-4-6': facts(200_000, 64_000, [3, 0.3, 15]),
  'claude-opus-4-5': facts(200_000, 64_000, [5, 0.5, 25]),
  'claude-opus-4-1': facts(200_000, 32_000, [15, 1.5, 75]),
  'claude-opus-4': facts(200_000, 32_000, [15, 1.5, 75]),
  'claude-sonnet-4-5': facts(200_000, 64_000, [3, 0.3, 15]),
  'claude-sonnet-4': facts(200_000, 64_000, [3, 0.3, 15]),
  'claude-haiku-4-5': facts(200_000, 64_000, [1, 0.1, 5]),
  'gemini-2-5-pro': facts(1_048_576, 65_536, [1.25, 0.125, 10]),
  'gemini-2-5-flash': facts(1_048_576, 65_536, [0.3, 0.03, 2.5]),
  'gemini-2-5-flash-lite': facts(1_048_576, 65_536, [0.1, 0.01, 0.4]),
  'deepseek-chat': facts(131_072, 8_192, [0.28, 0.028, 0.42]),
  'deepseek-reasoner': facts(131_072, 65_536, [0.28, 0.028, 0.42]),
};

/** Facts of a well-known model; null when it is not in the table. */
export function modelFacts(model: string): ModelFacts | null {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  const plain = name
    .replace(/:.*/, '')
    .replaceAll('.', '-')
    .replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '');
  return MODELS[plain] ?? null;
}
