/** Tokens as the endpoint counts them. `promptTokens` includes the cached ones. */
export interface Usage {
  promptTokens: number;
  cachedTokens: number;
  completionTokens: number;
}

export const NO_USAGE: Usage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    completionTokens: a.completionTokens + b.completionTokens,
  };
}

export function totalTokens(usage: Usage): number {
  return usage.promptTokens + usage.completionTokens;
}
