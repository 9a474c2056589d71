import type { ToldLimits } from '../../core/endpoint/messages.js';

/** More a minute is no limit. */
const MOST_TOLD = 1e12;

/**
 * What `x-ratelimit-*` headers say (OpenAI and most others), else Anthropic's. Per minute: the unit
 * of their limits. Null when there are none.
 */
export function toldLimits(headers: Headers | undefined): ToldLimits | null {
  const told: ToldLimits = {
    requestsPerMinute: limitOf(headers, 'limit', 'requests'),
    tokensPerMinute: limitOf(headers, 'limit', 'tokens'),
    remainingRequests: countOf(headers, 'remaining', 'requests'),
    remainingTokens: countOf(headers, 'remaining', 'tokens'),
  };
  return Object.values(told).every((value) => value === null) ? null : told;
}

/** Some endpoints without a limit say 0 or -1. */
function limitOf(headers: Headers | undefined, what: string, of: string): number | null {
  const limit = countOf(headers, what, of);
  return limit === null || limit <= 0 ? null : limit;
}

function countOf(headers: Headers | undefined, what: string, of: string): number | null {
  const value =
    headers?.get(`x-ratelimit-${what}-${of}`) ?? headers?.get(`anthropic-ratelimit-${of}-${what}`);
  const count = value != null && /^\d+$/.test(value.trim()) ? Number(value) : null;
  return count === null || count > MOST_TOLD ? null : count;
}
