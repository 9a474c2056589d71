import type { OpenAI } from 'openai';
import { LongrunError } from '../../core/errors.js';
import { type Clock, LONGEST_TIMER_MS } from '../../core/time.js';
import { callHeaders } from '../call-headers.js';
import { type CallTerms, callBound, callCost } from '../call-terms.js';
import { type Endpoint, publicUrl } from '../endpoint.js';
import type { ModelClient, ModelRequest, ModelResponse } from '../model-client.js';
import { policyVersionOf, requireSampled } from '../sampled-tokens.js';
import { callFailure } from './call-failure.js';
import { type Connection, openConnection } from './connection.js';
import { refuseInBandError } from './in-band-error.js';
import { isOfficial, ownHeaders } from './own-headers.js';
import { completionSchema, readCompletion, type WireCompletion } from './read-completion.js';
import { toldLimits } from './told-limits.js';
import { type ReasoningField, wireMessages, wireTools } from './wire-messages.js';

export interface OpenAIClientOptions extends CallTerms {
  /** Called at the first request: a scripted endpoint has to start listening first. */
  endpoint: () => Promise<Endpoint>;
  env: Readonly<Record<string, string | undefined>>;
  /** Token ids and log-probabilities are asked for, and an answer without them is none. */
  sampledTokens?: boolean;
  now: Clock;
}

interface Session {
  endpoint: Endpoint;
  sdk: OpenAI;
  connection: Connection;
}

/** Chat completions of any OpenAI-compatible endpoint, one HTTP request per call. */
export class OpenAIClient implements ModelClient {
  private session: Promise<Session> | null = null;
  private reasoningField: ReasoningField = 'reasoning_content';

  constructor(private readonly options: OpenAIClientOptions) {}

  async complete(request: ModelRequest, signal: AbortSignal): Promise<ModelResponse> {
    const { endpoint, sdk } = await this.open();
    const deadline = AbortSignal.timeout(Math.min(request.timeoutMs, LONGEST_TIMER_MS));
    const startedAt = this.options.now();
    try {
      const { data, response } = await sdk.chat.completions
        .create(this.body(request, endpoint), {
          signal: AbortSignal.any([signal, deadline]),
          headers: callHeaders(request),
        })
        .withResponse();
      const latencyMs = this.options.now() - startedAt;
      refuseInBandError(data, response.headers);
      const completion = completionSchema.parse(data);
      return this.response(request, completion, response.headers, latencyMs, publicUrl(endpoint.baseUrl));
    } catch (error) {
      if (signal.aborted) throw new LongrunError('cancelled', 'The model call was cancelled');
      throw callFailure(error, { endpoint, request, timedOut: deadline.aborted, now: this.options.now() });
    }
  }

  bound(request: ModelRequest): ReturnType<ModelClient['bound']> {
    return callBound(request, this.options);
  }

  contextWindow(): number | null {
    return this.options.contextWindow;
  }

  async close(): Promise<void> {
    const session = await this.session?.catch(() => null);
    await session?.connection.close();
  }

  private open(): Promise<Session> {
    this.session ??= this.connect().catch((error) => {
      this.session = null;
      throw error;
    });
    return this.session;
  }

  private async connect(): Promise<Session> {
    const endpoint = await this.options.endpoint();
    const [{ OpenAI }, connection] = await Promise.all([
      import('openai'),
      openConnection(endpoint.loopback, this.options.env),
    ]);
    // The SDK insists on a key; an endpoint that needs none ignores this one.
    const apiKey = endpoint.apiKey ?? 'none';
    const sdk = new OpenAI({
      baseURL: endpoint.baseUrl,
      apiKey,
      adminAPIKey: null,
      ...ownHeaders(endpoint, apiKey),
      // Temporal and the slice own retries and time limits.
      maxRetries: 0,
      timeout: LONGEST_TIMER_MS,
      fetch: connection.fetch,
      // Its debug log prints headers and prompts.
      logLevel: 'off',
    });
    return { endpoint, sdk, connection };
  }

  private body(
    request: ModelRequest,
    endpoint: Endpoint,
  ): OpenAI.Chat.ChatCompletionCreateParamsNonStreaming {
    // OpenAI's newer models refuse `max_tokens`, most other servers know nothing else.
    const limit = isOfficial(endpoint) ? 'max_completion_tokens' : 'max_tokens';
    return {
      model: request.model,
      messages: wireMessages(request.messages, this.reasoningField),
      ...(request.tools.length === 0 ? {} : { tools: wireTools(request.tools) }),
      ...(request.temperature === null ? {} : { temperature: request.temperature }),
      ...(request.maxTokens === null ? {} : { [limit]: request.maxTokens }),
      ...(request.seed === null ? {} : { seed: request.seed }),
      // `return_token_ids` is vLLM's.
      ...(this.options.sampledTokens ? { logprobs: true, return_token_ids: true } : {}),
    };
  }

  private response(
    request: ModelRequest,
    completion: WireCompletion,
    headers: Headers,
    latencyMs: number,
    name: string,
  ): ModelResponse {
    const { reportedCostUsd, reasoningField, ...content } = readCompletion(completion);
    this.reasoningField = reasoningField ?? this.reasoningField;
    const { usage } = content;
    const cost = callCost(usage, this.options);
    const model = completion.model ?? request.model;
    const asked = { endpoint: name, tokenApi: 'chat', usage, sent: null };
    return {
      ...content,
      ...(this.options.sampledTokens ? requireSampled(content, asked) : {}),
      costUsd: this.options.priceIsSet ? cost : (reportedCostUsd ?? cost),
      requestId: headers.get('x-request-id') ?? headers.get('request-id'),
      model,
      policyVersion: policyVersionOf(headers, completion.policy_version, model),
      latencyMs,
      toldLimits: toldLimits(headers),
    };
  }
}
