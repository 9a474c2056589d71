import type { AgentContext, TurnAgent, TurnHistory } from '../../agent/agent.js';
import { takenCallIds, uniqueCallIds } from '../../agent/index.js';
import { ActiveClock } from '../../core/rollout/active-clock.js';
import { mayGoOn, pause, RetryLater } from '../../core/rollout/lifecycle.js';
import type { Failure, StopReason } from '../../core/rollout/outcome.js';
import type { RunConfig } from '../../core/run/run-config.schema.js';
import { isScripted } from '../../model/index.js';
import type { ModelClient, SampledBefore } from '../../model/model-client.js';
import { SHORT_WAIT_MS } from '../../model/retry-delay.js';
import { keys } from '../../store/keys.js';
import { putRecordIfAbsent, readRecord } from '../../store/records/records.js';
import {
  type CallRecord,
  callRecordSchema,
  summaryRecordSchema,
} from '../../store/records/records.schema.js';
import type { AttemptContext } from '../attempt-context.js';
import { BudgetHeld, hold } from '../calls/budget-hold.js';
import type { CallBudget, Refusal } from '../calls/call-budget.js';
import { AgentStop, ModelCaller } from '../calls/model-caller.js';
import { readAnswer } from './read-answer.js';
import { chargeCall, chargeTurn, type StepHistory } from './step-history.js';
import { ToolRunner } from './tool-runner.js';

export interface TurnLoop {
  context: AttemptContext;
  agent: TurnAgent;
  agentContext: AgentContext;
  client: ModelClient;
  budget: CallBudget;
  history: StepHistory;
  /** Of tool calls in the steps before this one. */
  earlierIds: readonly string[];
}

export interface LoopEnd {
  stopReason: StopReason;
  failure: Failure | null;
}

const SPENT_BY_EARLIER_ATTEMPTS: Failure = {
  code: 'budget_spent',
  message: "the rollout's earlier attempts, which failed, have spent its budget",
  retryable: false,
  hint: 'raise it with: longrun runs set <run> --rollout-budget-tokens or --rollout-budget-usd, then replay the rollout',
};

/** Takes turns until the agent is done (answers why) or `untilMs` has passed (answers null). */
export async function takeTurns(loop: TurnLoop, untilMs: number): Promise<LoopEnd | null> {
  const clock = clockOf(loop);
  for (let taken = 0; ; taken++) {
    // Judged before a turn is taken, so that whoever takes over from a dead executor judges first.
    const end = openTurn(loop) === null ? judge(loop, clock) : null;
    if (end !== null) return end;
    if (taken > 0 && loop.context.deps.now() >= untilMs) return null;
    mayGoOn(loop.context.lifecycle);
    try {
      const stop = await takeTurn(loop, clock);
      if (stop !== null) return stop;
    } catch (error) {
      // A short wait is cheaper here than a new activity; a long one gives the slot back.
      if (!(error instanceof RetryLater) || error.delayMs > SHORT_WAIT_MS) throw error;
      await pause(error.delayMs, loop.context.lifecycle);
    }
  }
}

function judge({ agent, agentContext, history, context }: TurnLoop, clock: ActiveClock): LoopEnd | null {
  if (history.turns.length === 0) return null;
  const verdict = agent.judge(agentContext, history.turns);
  if (verdict.kind === 'stop') return { stopReason: verdict.stopReason, failure: null };
  if (clock.expired) return { stopReason: 'wall_timeout', failure: null };
  return history.turns.length >= context.run.config.maxTurns
    ? { stopReason: 'max_turns', failure: null }
    : null;
}

function clockOf({ context, history }: TurnLoop): ActiveClock {
  const { agentTimeoutMs } = context.stepSpec;
  const limit = agentTimeoutMs === null ? null : agentTimeoutMs * context.run.config.timeoutMultiplier;
  const clock = new ActiveClock(limit);
  clock.charge(history.modelMs + history.toolsMs);
  return clock;
}

/** One turn: the model's answer (recorded or sampled), then each tool call. Answers a reason to stop, or null. */
async function takeTurn(loop: TurnLoop, clock: ActiveClock): Promise<LoopEnd | null> {
  const { history, context } = loop;
  const open = openTurn(loop);
  const index = open === null ? history.turns.length : history.turns.length - 1;
  let turn = open;
  try {
    if (turn === null) {
      const call = await answerOf(loop, index, clock);
      turn = { call, results: [] };
      chargeTurn(history, turn);
      clock.charge(call.latencyMs);
    }
    return await runTools(loop, turn, index, clock);
  } catch (error) {
    if (!(error instanceof AgentStop)) throw error;
    const { stopReason, failure, refusal } = error;
    const begun = context.step > 0 || history.turns.length > 0;
    return refusal === null || begun ? { stopReason, failure } : neverBegun(context, refusal);
  }
}

/** An attempt that a budget allows no call at all says nothing about its agent: it is held back, not scored. */
async function neverBegun({ deps, run, key }: AttemptContext, refusal: Refusal): Promise<LoopEnd> {
  const held = await hold(deps, run, refusal);
  if (held !== null) throw new BudgetHeld(held);
  if (key.attempt === 1) return { stopReason: refusal.stop, failure: null };
  return { stopReason: 'llm_error', failure: SPENT_BY_EARLIER_ATTEMPTS };
}

/** The last recorded turn, when some of its calls have no result yet. */
function openTurn({ history }: TurnLoop): TurnHistory | null {
  const last = history.turns.at(-1);
  return last !== undefined && last.results.length < last.call.message.toolCalls.length ? last : null;
}

async function runTools(
  loop: TurnLoop,
  turn: TurnHistory,
  index: number,
  clock: ActiveClock,
): Promise<LoopEnd | null> {
  const { context, agent, agentContext, history } = loop;
  const runner = new ToolRunner(
    context,
    index,
    history.turns.slice(0, index + 1),
    agentContext.contextWindow,
  );
  const planned = agent.plan(agentContext, turn.call);
  for (let i = turn.results.length; i < planned.length; i++) {
    if (clock.expired) return { stopReason: 'wall_timeout', failure: null };
    const call = planned[i];
    if (!call) break;
    const result = await runner.result(call, i, clock.remainingMs);
    turn.results.push(result);
    history.toolsMs += result.durationMs;
    clock.charge(result.durationMs);
  }
  return null;
}

/** The turn's answer: a summary is asked for first where the agent wants one. */
async function answerOf(loop: TurnLoop, turn: number, clock: ActiveClock): Promise<CallRecord> {
  const { context, agent, agentContext, history } = loop;
  const { deps, key, step } = context;
  const caller = new ModelCaller(context, loop.client, loop.budget, turn);
  const summaryKey = keys.turnSummary(key, step, turn);
  const callKey = keys.call(key, step, turn);
  const summary = await readRecord(deps.store, summaryRecordSchema, summaryKey);
  await caller.settleLost();
  if (summary)
    agentContext.summary = { throughTurn: summary.throughTurn, content: summary.call.message.content };

  let next = agent.next(agentContext, history.turns);
  if (next.kind === 'summarise') {
    const { messages, throughTurn } = next;
    const value = await caller.call(
      { ...requestOf(loop), messages, tools: [] },
      (call) =>
        putRecordIfAbsent(deps.store, summaryRecordSchema, summaryKey, {
          schemaVersion: 1,
          throughTurn,
          call,
        }),
      null,
    );
    chargeCall(history, value.call);
    clock.charge(value.call.latencyMs);
    agentContext.summary = { throughTurn: value.throughTurn, content: value.call.message.content };
    next = agent.next(agentContext, history.turns);
  }
  if (next.kind !== 'send')
    throw new AgentStop(next.kind === 'stop' ? next.stopReason : 'context_overflow', null);
  const { messages, tools, sentView } = next;
  return caller.call(
    { ...requestOf(loop), messages, tools, before: sampledBefore(history) },
    (call) => {
      const read = readAnswer(call, agentContext, turn);
      return putRecordIfAbsent(
        deps.store,
        callRecordSchema,
        callKey,
        withUniqueIds(read, turn, [...loop.earlierIds, ...takenCallIds(history.turns)]),
      );
    },
    sentView,
  );
}

function requestOf({ context, history }: TurnLoop) {
  const { config } = context.run;
  return {
    turn: history.turns.length,
    model: config.model ?? '',
    temperature: config.temperature,
    maxTokens: config.maxTokens,
    seed: seedOf(config, context.key.sample),
    timeoutMs: config.modelTimeoutMs,
  };
}

/** What the newest turn was sent and sampled, where we rendered it: the next prompt may go on from there. */
function sampledBefore({ turns }: StepHistory): SampledBefore | null {
  const { promptTokenIds, completionTokenIds, rendering } = turns.at(-1)?.call ?? {};
  return promptTokenIds && completionTokenIds && rendering
    ? { promptTokenIds, completionTokenIds, rendering }
    : null;
}

/** Endpoints repeat ids, or give none: results are told apart by them for the whole rollout. */
function withUniqueIds(call: CallRecord, turn: number, taken: readonly string[]): CallRecord {
  const toolCalls = uniqueCallIds(call.message.toolCalls, turn, taken);
  return { ...call, message: { ...call.message, toolCalls } };
}

/** Samples differ by their seed; scripted models have no other source of variety. */
function seedOf({ seed, model }: RunConfig, sample: number): number | null {
  if (seed !== null) return seed + sample;
  return model !== null && isScripted(model) ? sample : null;
}
