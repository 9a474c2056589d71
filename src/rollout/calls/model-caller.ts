import { NO_TALLY, type Tally } from '../../core/budget/budget.js';
import { LongrunError } from '../../core/errors.js';
import { rolloutId } from '../../core/ids.js';
import { mayGoOn, RetryLater } from '../../core/rollout/lifecycle.js';
import type { Failure, StopReason } from '../../core/rollout/outcome.js';
import { NO_USAGE, type Usage } from '../../core/rollout/usage.js';
import { SECOND_MS } from '../../core/time.js';
import { answeredOutcome, failedOutcome } from '../../model/limits/call-outcome.js';
import type { GatePass } from '../../model/limits/model-gate.js';
import type { ModelClient, ModelRequest, ModelResponse } from '../../model/model-client.js';
import { retryDelay } from '../../model/retry-delay.js';
import { assertFence } from '../../store/fence-store.js';
import { keys } from '../../store/keys.js';
import { type PutOutcome, putRecordIfAbsent } from '../../store/records/records.js';
import {
  type CallFailure,
  type CallIntent,
  type CallRecord,
  callFailureSchema,
  callIntentSchema,
  type SummaryRecord,
} from '../../store/records/records.schema.js';
import type { AttemptContext } from '../attempt-context.js';
import { persist } from '../persist.js';
import { readFailures } from '../turns/step-history.js';
import type { Reservation } from './budget-share.js';
import type { CallBudget, Refusal } from './call-budget.js';
import type { CallPolicy } from './call-policies.js';
import { settleLostCalls } from './lost-calls.js';
import { tallyOf } from './spent-so-far.js';

type CallBound = ReturnType<ModelClient['bound']>;

/** Calls in flight hold their upper bounds and give most of them back when they end. */
const BUDGET_IN_USE = new LongrunError('internal', "calls in flight hold what is left of the run's budget", {
  retryable: true,
});
const BUDGET_WAIT_MS = SECOND_MS;
/** Each is paid for: an endpoint that tells wrong ids again and again is given up. */
const MAX_ANSWERS_WITH_WRONG_IDS = 3;
const ENDPOINT_IN_USE = new LongrunError(
  'model_rate_limited',
  'other calls use what the model endpoint bears, or it is down',
  { retryable: true },
);

/** The call ended the agent's part of the step. */
export class AgentStop extends Error {
  constructor(
    readonly stopReason: StopReason,
    readonly failure: Failure | null,
    /** The ceiling that the call would have gone over. */
    readonly refusal: Refusal | null = null,
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
    private readonly budget: CallBudget,
    private readonly turn: number,
  ) {}

  /** At takeover: calls that an earlier executor left in the air are recorded as lost. Budgets have them at their bounds. */
  async settleLost(): Promise<void> {
    const { deps, key, step } = this.context;
    await settleLostCalls(deps.store, key, step, this.turn, deps.now);
  }

  /** One call whose answer `record` puts into the store; answers the record that counts. */
  async call<T extends CallRecord | SummaryRecord>(
    request: Omit<ModelRequest, 'callId'>,
    record: (call: CallRecord) => Promise<PutOutcome<T>>,
    sentView: Record<string, unknown> | null,
  ): Promise<T> {
    const full: ModelRequest = { ...request, callId: this.context.deps.newId() };
    const { policy, bound, pass } = await this.enter(full);
    try {
      const asked = { ...full, model: policy.model ?? full.model };
      return await this.make(asked, policy, bound, pass, record, sentView);
    } finally {
      pass.end('unsent');
    }
  }

  /** Passes the gate of the endpoint that has the newest weights, which may be another one after the waiting. */
  private async enter(
    request: ModelRequest,
  ): Promise<{ policy: CallPolicy; bound: CallBound; pass: GatePass }> {
    const { deps, run } = this.context;
    for (;;) {
      const before = await deps.policies.at(run);
      const bound = this.clientOf(before).bound(request);
      const pass = await this.pass(before, bound);
      let policy: CallPolicy | null = null;
      try {
        policy = await deps.policies.at(run);
        if (policy.run.config.baseUrl === before.run.config.baseUrl) return { policy, bound, pass };
        policy = null;
      } finally {
        if (policy === null) pass.end('unsent');
      }
    }
  }

  private clientOf({ run }: CallPolicy): ModelClient {
    return run === this.context.run ? this.client : this.context.deps.modelOf(run);
  }

  /** A call that waits has no intent yet: it cannot be lost. */
  private async pass({ run }: CallPolicy, bound: CallBound): Promise<GatePass> {
    const { deps, key, lifecycle } = this.context;
    mayGoOn(lifecycle);
    const answer = await deps.gateOf(run).enter(rolloutId(key), bound, lifecycle.stopping);
    if ('end' in answer) return answer;
    mayGoOn(lifecycle);
    throw new RetryLater(ENDPOINT_IN_USE, answer.retryInMs);
  }

  private async make<T extends CallRecord | SummaryRecord>(
    full: ModelRequest,
    policy: CallPolicy,
    bound: CallBound,
    pass: GatePass,
    record: (call: CallRecord) => Promise<PutOutcome<T>>,
    sentView: Record<string, unknown> | null,
  ): Promise<T> {
    const { deps, key, lifecycle } = this.context;
    await this.context.guard();
    await deps.atCheckpoint('sampling:before', key);
    const reservation = await this.reserve(bound);
    // Until something is known of it: the same as records will say of a call that nobody answered for.
    let used = NO_TALLY;
    try {
      const intent = await this.announce(full, bound);
      used = boundOf(bound);
      let response: ModelResponse;
      try {
        const answer = await this.clientOf(policy).complete(full, lifecycle.cancelled);
        response = { ...answer, policyVersion: policy.versionOf(answer.policyVersion ?? null) };
      } catch (error) {
        pass.end(failedOutcome(error));
        const usage = usageOf(error);
        const failure = await this.failed(intent, error, usage);
        used = tallyOf(usage, null);
        throw failure;
      }
      pass.end(answeredOutcome(response), response.usage.completionTokens);
      used = tallyOf(response.usage, response.costUsd);
      await deps.atCheckpoint('sampling:effect', key);
      const kept = await persist(() => this.keep(intent, response, record, sentView), lifecycle.cancelled);
      await deps.atCheckpoint('sampling:recorded', key);
      await policy.seen(response.policyVersion ?? null);
      return kept;
    } finally {
      reservation.settle(used);
    }
  }

  private async reserve(bound: CallBound): Promise<Reservation> {
    const answer = await this.budget.reserve(boundOf(bound));
    if (answer === 'wait') throw new RetryLater(BUDGET_IN_USE, BUDGET_WAIT_MS);
    if ('stop' in answer) throw new AgentStop(answer.stop, null, answer);
    return answer;
  }

  private async announce(request: ModelRequest, bound: CallBound): Promise<CallIntent> {
    const { deps, key, step, fence } = this.context;
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
    await putRecordIfAbsent(deps.store, callIntentSchema, name, intent, 'process');
    return intent;
  }

  /**
   * Puts the answer in the store. One that comes after a newer executor took over, or after another
   * answer was recorded, is discarded: what it cost is kept, what it says is not.
   */
  private async keep<T extends CallRecord | SummaryRecord>(
    intent: CallIntent,
    response: ModelResponse,
    record: (call: CallRecord) => Promise<PutOutcome<T>>,
    sentView: Record<string, unknown> | null,
  ): Promise<T> {
    const { deps, key, fence } = this.context;
    const discard = () =>
      this.recordFailure(intent, {
        kind: 'lost',
        code: 'late_answer',
        message: 'the answer came after another executor had taken over',
        usage: response.usage,
        costUsd: response.costUsd,
        latencyMs: response.latencyMs,
      });
    try {
      await assertFence(deps.store, key, fence);
    } catch (error) {
      if (LongrunError.is(error, 'fenced')) await discard();
      throw error;
    }
    const { value } = await record(callRecord(intent, response, sentView));
    const counts: CallRecord = 'call' in value ? value.call : value;
    if (counts.callId !== intent.callId) await discard();
    return value;
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
    const failures = await readFailures(deps.store, key, step, this.turn);
    const wrongIds = failures.filter(({ code }) => code === 'model_tokens_invalid').length;
    if (wrongIds >= MAX_ANSWERS_WITH_WRONG_IDS) return new AgentStop('llm_error', failure);
    const tries = failures.filter(({ kind }) => kind === 'failed').length;
    return new RetryLater(cause, retryDelay(cause, tries));
  }

  private async recordFailure(
    intent: CallIntent,
    what: Pick<CallFailure, 'kind' | 'code' | 'message' | 'usage' | 'costUsd' | 'latencyMs'>,
  ): Promise<void> {
    const { deps, key, step, lifecycle } = this.context;
    const record: CallFailure = { schemaVersion: 1, callId: intent.callId, ...what, endedAt: deps.now() };
    const name = `${keys.failures(key, step, this.turn)}/${intent.callId}.json`;
    await persist(
      () => putRecordIfAbsent(deps.store, callFailureSchema, name, record, 'process'),
      lifecycle.cancelled,
    );
  }
}

function boundOf({ promptTokens, completionTokens, costUsd }: CallBound): Tally {
  return { tokens: promptTokens + completionTokens, costUsd: costUsd ?? 0 };
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
    sequenceId: response.sequenceId ?? null,
    policyVersion: response.policyVersion ?? null,
    rendering: response.rendering ?? null,
    sentView,
    parsed: null,
  };
}
