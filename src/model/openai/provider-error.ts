import { LongrunError } from '../../core/errors.js';
import { NO_USAGE } from '../../core/rollout/usage.js';
import { retryAfterMs } from './retry-after.js';
import { toldLimits } from './told-limits.js';

/** What an endpoint answered instead of a completion. */
export interface ProviderAnswer {
  status: number;
  headers: Headers | undefined;
  /** The provider's words, without our key. */
  message: string;
  code: string | null;
  endpoint: string;
  model: string;
  now: number;
}

const CONTEXT_CODES = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'context_window_exceeded',
]);
const CONTEXT_WORDS =
  /maximum context length|context (window|length|size)|prompt is too long|input is too long|too many (input )?tokens|reduce the length of the (messages|prompt|input)|max_model_len|input length .{1,200} exceed/i;
const QUOTA_CODES = new Set(['insufficient_quota', 'billing_hard_limit_reached']);
/** Statuses below 500 that say "later": timeout, conflict, too early. */
const LATER = new Set([408, 409, 425]);
const MAY_OVERFLOW = new Set([400, 413, 422, 500]);

/** The one place that maps provider statuses to errors and to `retryable`. */
export function providerError(answer: ProviderAnswer): LongrunError {
  const { status, message, code } = answer;
  if (MAY_OVERFLOW.has(status) && ((code !== null && CONTEXT_CODES.has(code)) || CONTEXT_WORDS.test(message)))
    return error(answer, 'model_context_overflow', 'the conversation does not fit the context window');
  if (status === 429 && !(code !== null && QUOTA_CODES.has(code))) return rateLimited(answer);
  if (status >= 500 || LATER.has(status)) return unavailable(answer);
  if (status === 401 || status === 403)
    return error(answer, 'model_rejected', 'the API key was refused', {
      hint: 'Check the key in the variable that --api-key-env names, and what it may use',
    });
  if (code === 'model_not_found' || (status === 404 && /model/i.test(message)))
    return error(answer, 'model_unknown', `no model "${answer.model}"`, {
      hint: 'Check --model against what the endpoint serves (GET /models)',
      exitCode: 2,
    });
  if (status === 404)
    return error(answer, 'model_rejected', 'nothing answers there', {
      hint: 'Check --base-url: it goes up to and including /v1',
    });
  if (status === 402 || status === 429)
    return error(answer, 'model_rejected', 'the account has no credit left', {
      hint: "Check the account's billing; waiting does not help",
    });
  return error(answer, 'model_rejected', 'the request was refused');
}

function rateLimited(answer: ProviderAnswer): LongrunError {
  return error(answer, 'model_rate_limited', 'rate limit', {
    retryable: true,
    hint: 'Lower --concurrency if this goes on',
    details: {
      retryAfterMs: retryAfterMs(answer.headers, answer.now),
      toldLimits: toldLimits(answer.headers),
    },
  });
}

function unavailable(answer: ProviderAnswer): LongrunError {
  return error(answer, 'model_unavailable', 'the endpoint failed', {
    retryable: true,
    details: { usage: NO_USAGE, retryAfterMs: retryAfterMs(answer.headers, answer.now) },
  });
}

type Options = NonNullable<ConstructorParameters<typeof LongrunError>[2]>;

function error(
  answer: ProviderAnswer,
  code: LongrunError['code'],
  summary: string,
  options: Options = {},
): LongrunError {
  const { status, endpoint, model } = answer;
  return new LongrunError(code, `${endpoint}: ${summary} (${status}): ${answer.message}`, {
    ...options,
    details: { status, endpoint, model, providerMessage: answer.message, ...options.details },
  });
}

/** No usable answer at all: the network failed, the answer stalled, or its body was cut or not JSON. */
export function noAnswer(endpoint: string, what: string, hint?: string): LongrunError {
  return new LongrunError('model_unavailable', `${endpoint}: ${what}`, {
    retryable: true,
    details: { usage: NO_USAGE, endpoint },
    ...(hint === undefined ? {} : { hint }),
  });
}
