import type { ToldLimits } from '../core/endpoint/messages.js';
import type { AssistantMessage, ChatMessage, ToolSchema } from '../core/model/messages.js';
import type { Rendering } from '../core/model/rendering.schema.js';
import type { Usage } from '../core/rollout/usage.js';

/** The turn before, as it was sent and sampled. */
export interface SampledBefore {
  promptTokenIds: readonly number[];
  completionTokenIds: readonly number[];
  rendering: Rendering;
}

export interface ModelRequest {
  model: string;
  messages: readonly ChatMessage[];
  tools: readonly ToolSchema[];
  temperature: number | null;
  maxTokens: number | null;
  seed: number | null;
  /** Ours, one per call; sent as a header so that both sides can be matched. */
  callId: string;
  /** Turns before this one in the conversation, sent as a header; scripted models go by it. */
  turn?: number;
  timeoutMs: number;
  /** For clients that send ids: what this prompt may go on from. */
  before?: SampledBefore | null;
}

export interface ModelResponse {
  message: AssistantMessage;
  /** As the endpoint says it: `stop`, `tool_calls`, `length`, `content_filter`. */
  finishReason: string;
  usage: Usage;
  /** Null when no price is known. */
  costUsd: number | null;
  requestId: string | null;
  /** The model actually served. */
  model: string;
  latencyMs: number;
  promptTokenIds: number[] | null;
  completionTokenIds: number[] | null;
  logprobs: number[] | null;
  /** Tinker's id of the sampled sequence. */
  sequenceId?: string | null;
  /** Which weights answered, where the endpoint says so. */
  policyVersion?: string | null;
  /** How the prompt was made, where ids were sent. */
  rendering?: Rendering | null;
  /** What the answer's headers say of the endpoint's limits. */
  toldLimits?: ToldLimits | null;
}

/**
 * One chat completion, no retries of its own (Temporal and the slice own them).
 * Errors (`LongrunError`): `model_rate_limited` (retryable, `details.retryAfterMs` or null, `details.toldLimits`),
 * `model_unavailable` (5xx, network, stall, cut stream; retryable, `details.usage` for what arrived),
 * `model_tokens_invalid` (a run that asked for ids got none, not retryable, or wrong ones, retryable),
 * `model_context_overflow`, `model_key_missing`, `model_rejected` (other 4xx: not retryable,
 * `message` holds the provider's words, `details.status`).
 */
export interface ModelClient {
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelResponse>;
  /** Upper bounds for an intent, before the call. */
  bound(request: ModelRequest): { promptTokens: number; completionTokens: number; costUsd: number | null };
  /** Tokens of context the model takes; null when unknown. */
  contextWindow(): number | null;
}
