import { LongrunError } from '../../core/errors.js';
import type { SamplingTokenizer } from '../../core/model/chat-tokenizer.js';
import { type Clock, LONGEST_TIMER_MS } from '../../core/time.js';
import { callHeaders } from '../call-headers.js';
import { type CallTerms, callBound, callCost } from '../call-terms.js';
import { type Endpoint, publicUrl } from '../endpoint.js';
import type { ModelClient, ModelRequest, ModelResponse } from '../model-client.js';
import { callFailure } from '../openai/call-failure.js';
import { type Connection, openConnection } from '../openai/connection.js';
import { refuseInBandError } from '../openai/in-band-error.js';
import { toldLimits } from '../openai/told-limits.js';
import { policyVersionOf, requireSampled } from '../sampled-tokens.js';
import { type NextPrompt, nextPrompt } from './next-prompt.js';
import type { TokenCall, TokenWire } from './token-wire.js';

export interface TokenClientOptions extends CallTerms {
  endpoint: Endpoint;
  env: Readonly<Record<string, string | undefined>>;
  /** Called at the first request. */
  tokenizer: () => Promise<SamplingTokenizer>;
  wire: TokenWire;
  tokenApi: string;
  now: Clock;
}

/** Sends prompts as ids and keeps what was sampled as ids; the text of an answer is decoded from them. */
export class TokenClient implements ModelClient {
  private opening: Promise<{ tokenizer: SamplingTokenizer; connection: Connection }> | null = null;

  constructor(private readonly options: TokenClientOptions) {}

  async complete(request: ModelRequest, signal: AbortSignal): Promise<ModelResponse> {
    const { tokenizer, connection } = await this.open();
    const { endpoint, now } = this.options;
    const { ids, rendering } = this.render(tokenizer, request);
    const call = this.call(request, ids);
    const deadline = AbortSignal.timeout(Math.min(request.timeoutMs, LONGEST_TIMER_MS));
    const startedAt = now();
    try {
      const both = AbortSignal.any([signal, deadline]);
      const { body, headers } = await this.post(connection, call, request, both);
      return { ...this.response(tokenizer, call, body, headers), latencyMs: now() - startedAt, rendering };
    } catch (error) {
      if (signal.aborted) throw new LongrunError('cancelled', 'The model call was cancelled');
      throw callFailure(error, { endpoint, request, timedOut: deadline.aborted, now: now() });
    }
  }

  bound(request: ModelRequest): ReturnType<ModelClient['bound']> {
    return callBound(request, this.options);
  }

  contextWindow(): number | null {
    return this.options.contextWindow;
  }

  async close(): Promise<void> {
    const opened = await this.opening?.catch(() => null);
    await opened?.connection.close();
  }

  private open() {
    const { endpoint, env, tokenizer } = this.options;
    this.opening ??= Promise.all([tokenizer(), openConnection(endpoint.loopback, env)])
      .then(([opened, connection]) => ({ tokenizer: opened, connection }))
      .catch((error) => {
        this.opening = null;
        throw error;
      });
    return this.opening;
  }

  private render(tokenizer: SamplingTokenizer, request: ModelRequest): NextPrompt {
    try {
      return nextPrompt(tokenizer, request, request.before ?? null, this.options.now());
    } catch (cause) {
      throw new LongrunError(
        'model_rejected',
        `the chat template of ${tokenizer.name} refuses the conversation: ${(cause as Error).message}`,
        { hint: 'A model whose template takes system, tool and user messages is needed for these tasks' },
      );
    }
  }

  /** Throws `model_context_overflow` where the window is known and full. */
  private call({ model, maxTokens, temperature, seed }: ModelRequest, ids: number[]): TokenCall {
    const { contextWindow } = this.options;
    const room = contextWindow === null ? null : contextWindow - ids.length;
    if (room !== null && room <= 0)
      throw new LongrunError(
        'model_context_overflow',
        `the prompt has ${ids.length} tokens, and the context window ${contextWindow}`,
      );
    const limit = maxTokens === null || room === null ? (maxTokens ?? room) : Math.min(maxTokens, room);
    return { model, promptTokenIds: ids, maxTokens: limit, temperature, seed };
  }

  private async post(connection: Connection, call: TokenCall, request: ModelRequest, signal: AbortSignal) {
    const { endpoint, wire } = this.options;
    const response = await connection.fetch(wire.url(endpoint.baseUrl), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...callHeaders(request),
        ...(endpoint.apiKey === null ? {} : { authorization: `Bearer ${endpoint.apiKey}` }),
      },
      body: JSON.stringify(wire.body(call)),
      signal,
    });
    if (!response.ok) throw await refusal(response);
    const body: unknown = await response.json();
    refuseInBandError(body, response.headers);
    return { body, headers: response.headers };
  }

  private response(
    tokenizer: SamplingTokenizer,
    call: TokenCall,
    body: unknown,
    headers: Headers,
  ): Omit<ModelResponse, 'latencyMs' | 'rendering'> {
    const { endpoint, tokenApi, wire } = this.options;
    const answer = wire.read(body, call);
    const { usage, finishReason, sequenceId } = answer;
    const name = publicUrl(endpoint.baseUrl);
    const sampled = requireSampled(answer, { endpoint: name, tokenApi, usage, sent: call.promptTokenIds });
    const model = answer.model ?? call.model;
    return {
      message: {
        role: 'assistant',
        content: textOf(sampled.completionTokenIds, tokenizer),
        reasoning: null,
        toolCalls: [],
      },
      finishReason,
      usage,
      costUsd: callCost(usage, this.options),
      requestId: headers.get('x-request-id') ?? answer.requestId,
      model,
      ...sampled,
      sequenceId,
      policyVersion: policyVersionOf(headers, answer.policyVersion, model),
      toldLimits: toldLimits(headers),
    };
  }
}

/** Without the end of turn, which is no part of what was said; marks of tool calls are. */
function textOf(ids: readonly number[], tokenizer: SamplingTokenizer): string {
  const text = tokenizer.decode(ids);
  const { endOfTurn } = tokenizer;
  return endOfTurn && text.endsWith(endOfTurn) ? text.slice(0, -endOfTurn.length) : text;
}

/** In the shape in which the SDK's errors are read. */
async function refusal(response: Response): Promise<unknown> {
  const text = await response.text();
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // A proxy's page is said as it is.
  }
  const error =
    (body as { error?: unknown } | null)?.error ?? (body as { detail?: unknown } | null)?.detail ?? body;
  const code = (error as { code?: unknown } | null)?.code;
  return { status: response.status, error: words(error), headers: response.headers, code };
}

const words = (error: unknown): unknown =>
  typeof error === 'string' && error === '' ? 'no reason given' : error;
