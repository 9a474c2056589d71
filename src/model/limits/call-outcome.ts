import type { CallOutcome, ToldLimits } from '../../core/endpoint/messages.js';
import { LongrunError } from '../../core/errors.js';
import { totalTokens } from '../../core/rollout/usage.js';
import type { ModelResponse } from '../model-client.js';

/** Too much to do: 529 is Anthropic's. */
const OVERLOADED = new Set([503, 529]);

/** What an answer says of the endpoint's limits. */
export function answeredOutcome(response: ModelResponse): CallOutcome {
  return {
    kind: 'answered',
    tokens: totalTokens(response.usage),
    told: response.toldLimits ?? null,
  };
}

/** What a failed call says of them. */
export function failedOutcome(error: unknown): CallOutcome {
  if (!LongrunError.is(error)) return { kind: 'neutral' };
  const { code, details } = error;
  const told = (details.toldLimits as ToldLimits | null | undefined) ?? null;
  const retryAfterMs = typeof details.retryAfterMs === 'number' ? details.retryAfterMs : null;
  if (code === 'model_rate_limited') return { kind: 'refused', retryAfterMs, told };
  if (code !== 'model_unavailable') return { kind: 'neutral' };
  return OVERLOADED.has(Number(details.status))
    ? { kind: 'overloaded', retryAfterMs, told }
    : { kind: 'failed' };
}
