import { LongrunError } from '../core/errors.js';
import type { Failure, StopReason } from '../core/outcome.js';
import { NO_USAGE, type Usage } from '../core/usage.js';
import type { ModelClient, ModelRequest, ModelResponse } from '../model/model-client.js';
import { keys } from '../store/keys.js';
import { putRecordIfAbsent, readChildren } from '../store/records.js';
import {
  type CallFailure,
  type CallIntent,
  type CallRecord,
  callFailureSchema,
  callIntentSchema,
} from '../store/records.schema.js';
import type { AttemptContext } from './attempt-context.js';
import { RetryLater } from './lifecycle.js';
import { retryDelay } from './model-retry.js';
import { persist } from './persist.js';
import type { RunBudget } from './run-budget.js';
import { readFailures } from './step-history.js';

/** The call ended the agent's part of the step. */
export class AgentStop extends Error {
  constructor(
    readonly stopReason: StopReason,
    readonly failure: Failure | null,
  ) {
    super(failure?.message ?? stopReason);
    this.name = 'AgentStop';
  }
}

/** Makes the model calls of one turn, each with its intent before and its record after. */
export class ModelCaller {
  constructor(
    private readonly context: AttemptContext,
    private readonly client: ModelClient,
    private readonly budget: RunBudget,
    private readonly turn: number,
  ) {}

  /**
   * At takeover: an intent without an answer is a lost call, charged at its bound. `answered` are
   * the call ids that have a record.
   */
  async settleLost(answered: ReadonlySet<string>): Promise<void> {
    const { deps, key, step } = this.context;
    const intents = await readChildren(deps.store, callIntentSchema, keys.intents(key, step, this.turn));
    if (intents.length === 0) return;
    const failed = new Set((await readFailures(deps.store, key, step, this.turn)).map((f) => f.callId));
    for (const { value: intent } of intents) {
      if (answered.has(intent.callId) || failed.has(intent.callId)) continue;
      await this.recordFailure(intent, {
        kind: 'lost',
        code: 'lost_call',
        message: 'the executor died with the call in the air; charged at its upper bound',
        usage: {
          promptTokens: intent.maxPromptTokens,
          cachedTokens: 0,
          completionTokens: intent.maxCompletionTokens,
        },
        costUsd: intent.maxCostUsd,
        latencyMs: 0,
      });
    }
  }

  /** One call whose answer `record` puts into the store; answers the record that counts. */
  async call<T>(
    request: Omit<ModelRequest, 'callId'>,
    record: (call: CallRecord) => Promise<T>,
    sentView: Record<string, unknown> | null,
  ): Promise<T> {
    const { deps, lifecycle } = this.context;
    const full: ModelRequest = { ...request, callId: deps.newId() };
    const intent = await this.announce(full);
    const reserved = {
      tokens: intent.maxPromptTokens + intent.maxCompletionTokens,
      costUsd: intent.maxCostUsd,
    };
    let response: ModelResponse;
    try {
      response = await this.client.complete(full, lifecycle.cancelled);
    } catch (error) {
      const usage = usageOf(error);
      this.budget.settle(reserved, usage, null);
      throw await this.failed(intent, error, usage);
    }
    this.budget.settle(reserved, response.usage, response.costUsd);
    return persist(() => record(callRecord(intent, response, sentView)), lifecycle.cancelled);
  }

  private async announce(request: ModelRequest): Promise<CallIntent> {
    const { deps, key, step, fence, guard } = this.context;
    await guard();
    const bound = this.client.bound(request);
    const stop = this.budget.reserve(bound.promptTokens + bound.completionTokens, bound.costUsd);
    if (stop !== null) throw new AgentStop(stop, null);
    const intent: CallIntent = {
      schemaVersion: 1,
      callId: request.callId,
      fence,
      maxPromptTokens: bound.promptTokens,
      maxCompletionTokens: bound.completionTokens,
      maxCostUsd: bound.costUsd,
      startedAt: deps.now(),
    };
    const name = `${keys.intents(key, step, this.turn)}/${request.callId}.json`;
    await putRecordIfAbsent(deps.store, callIntentSchema, name, intent);
    return intent;
  }

  /** Records a failed try and answers what to throw: try again later, or the end of the agent's part. */
  private async failed(intent: CallIntent, error: unknown, usage: Usage): Promise<Error> {
    const { deps, key, step, lifecycle } = this.context;
    const cause = LongrunError.is(error)
      ? error
      : new LongrunError('internal', `the model call failed unexpectedly: ${String(error)}`, {
          cause: error,
        });
    const latencyMs = deps.now() - intent.startedAt;
    await this.recordFailure(intent, {
      kind: 'failed',
      code: cause.code,
      message: cause.message,
      usage,
      costUsd: null,
      latencyMs,
    });
    if (lifecycle.cancelled.aborted) return new LongrunError('cancelled', 'cancelled by request', { cause });
    const failure = { code: cause.code, message: cause.message, retryable: false, hint: cause.hint ?? null };
    if (cause.code === 'model_context_overflow') return new AgentStop('context_overflow', null);
    if (!cause.retryable) return new AgentStop('llm_error', failure);
    const tries = (await readFailures(deps.store, key, step, this.turn)).filter(
      (f) => f.kind === 'failed',
    ).length;
    return new RetryLater(cause, retryDelay(cause, tries));
  }

  private async recordFailure(
    intent: CallIntent,
    what: Pick<CallFailure, 'kind' | 'code' | 'message' | 'usage' | 'costUsd' | 'latencyMs'>,
  ): Promise<void> {
    const { deps, key, step, lifecycle } = this.context;
    const record = { schemaVersion: 1 as const, callId: intent.callId, ...what, endedAt: deps.now() };
    const name = `${keys.failures(key, step, this.turn)}/${intent.callId}.json`;
    await persist(() => putRecordIfAbsent(deps.store, callFailureSchema, name, record), lifecycle.cancelled);
  }
}

/** What arrived before a stream was cut was paid for. */
function usageOf(error: unknown): Usage {
  const usage = LongrunError.is(error) ? (error.details.usage as Usage | null | undefined) : null;
  return usage ?? NO_USAGE;
}

function callRecord(
  intent: CallIntent,
  response: ModelResponse,
  sentView: Record<string, unknown> | null,
): CallRecord {
  const { content, reasoning, toolCalls } = response.message;
  return {
    schemaVersion: 1,
    callId: intent.callId,
    model: response.model,
    requestId: response.requestId,
    finishReason: response.finishReason,
    message: { content, reasoning, toolCalls },
    usage: response.usage,
    costUsd: response.costUsd,
    latencyMs: response.latencyMs,
    startedAt: intent.startedAt,
    promptTokenIds: response.promptTokenIds,
    completionTokenIds: response.completionTokenIds,
    logprobs: response.logprobs,
    sentView,
  };
}
