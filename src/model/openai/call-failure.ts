import { LongrunError } from '../../core/errors.js';
import { redact } from '../../core/text/redact.js';
import { SECOND_MS } from '../../core/time.js';
import { type Endpoint, publicUrl } from '../endpoint.js';
import type { ModelRequest } from '../model-client.js';
import { noAnswer, providerError } from './provider-error.js';

const MAX_WORDS = 1_000;

export interface FailedCall {
  endpoint: Endpoint;
  request: Pick<ModelRequest, 'model' | 'timeoutMs'>;
  timedOut: boolean;
  now: number;
}

/**
 * What became of a call that the SDK or the network ended. The original error is not kept as a
 * cause: it holds headers and bodies in which the key may stand.
 */
export function callFailure(error: unknown, call: FailedCall): LongrunError {
  const ours = LongrunError.within(error);
  if (ours !== null) return ours;
  const name = publicUrl(call.endpoint.baseUrl);
  if (call.timedOut) return noAnswer(name, `no answer within ${call.request.timeoutMs / SECOND_MS} s`);
  const status = field(error, 'status');
  if (typeof status === 'number') return statusError(error, status, call);
  if (isUnreadable(error)) return noAnswer(name, 'the answer is not a chat completion', readHint(error));
  const words = clean(networkWords(error), call.endpoint);
  return noAnswer(name, `cannot be reached: ${words}`, 'Check --base-url and that the endpoint is running');
}

function statusError(error: unknown, status: number, call: FailedCall): LongrunError {
  const body = field(error, 'error');
  const own = field(error, 'message');
  const said = typeof body === 'string' ? body : (field(body, 'message') ?? own);
  const code = field(error, 'code') ?? field(error, 'type');
  const headers = field(error, 'headers');
  return providerError({
    status,
    headers: headers && typeof (headers as Headers).get === 'function' ? (headers as Headers) : undefined,
    message: clean(typeof said === 'string' ? said : JSON.stringify(said ?? ''), call.endpoint),
    code: typeof code === 'string' ? code : null,
    endpoint: publicUrl(call.endpoint.baseUrl),
    model: call.request.model,
    now: call.now,
  });
}

/** The body ended early, was no JSON, or was JSON of another shape. */
function isUnreadable(error: unknown): boolean {
  const name = field(error, 'name');
  return name === 'SyntaxError' || name === 'ZodError' || name === '$ZodError';
}

function readHint(error: unknown): string | undefined {
  const cut = field(error, 'name') === 'SyntaxError';
  return cut ? undefined : 'If this goes on, check that --base-url goes up to and including /v1';
}

/** The innermost reason: `fetch failed` says nothing, its cause does. */
function networkWords(error: unknown): string {
  const words: string[] = [];
  for (let at = error, depth = 0; at != null && depth < 5; at = field(at, 'cause'), depth++) {
    const message = field(at, 'message');
    const code = field(at, 'code');
    if (typeof message === 'string' && message !== '') words.push(message);
    else if (typeof code === 'string') words.push(code);
  }
  return words.at(-1) ?? 'unknown reason';
}

/** The provider's words, bounded, on one line and without our key. */
export function clean(words: string, endpoint: Endpoint): string {
  const plain = endpoint.apiKey === null ? words : redact(words, [endpoint.apiKey]);
  const line = plain.replace(/\s+/g, ' ').trim();
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS)} …` : line;
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
