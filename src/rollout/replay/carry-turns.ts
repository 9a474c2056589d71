import type { TurnHistory } from '../../agent/agent.js';
import { agentFor } from '../../agent/index.js';
import { mayGoOn } from '../../core/rollout/lifecycle.js';
import { NO_USAGE } from '../../core/rollout/usage.js';
import { HOUR_MS } from '../../core/time.js';
import { knownContextWindow } from '../../model/index.js';
import { keys } from '../../store/keys.js';
import { putRecordIfAbsent, readRecord } from '../../store/records/records.js';
import {
  agentEndSchema,
  callRecordSchema,
  summaryRecordSchema,
  type ToolResult,
  toolResultSchema,
} from '../../store/records/records.schema.js';
import type { Provenance, ReplaySource } from '../../store/records/replay.schema.js';
import { provenanceOf } from '../../store/replays.js';
import type { AttemptContext } from '../attempt-context.js';
import { agentContextOf } from '../turns/agent-context.js';
import { isComplete, readStepHistory } from '../turns/step-history.js';
import { ToolRunner } from '../turns/tool-runner.js';
import type { LoopEnd } from '../turns/turn-loop.js';
import { keepForkSnapshot } from './fork-snapshot.js';

/** How a step begins for an attempt that starts from another one's turns. */
export type Carried =
  /** Turns are in place; the agent goes on live. */
  | { kind: 'go_on' }
  /** The slice is over before all turns are in place. */
  | { kind: 'more' }
  /** The agent's part of this step was over in the source, and is not taken up again. */
  | { kind: 'ended'; end: LoopEnd };

/**
 * Brings a step to the turn that a replay goes on from: the source's model answers are copied, never
 * sampled again, and its commands executed again in order, unless the sandbox is made from a
 * snapshot. The conversation keeps the recorded outputs; those of this time are kept beside them.
 */
export async function carryTurns(context: AttemptContext, untilMs: number): Promise<Carried> {
  const { deps, key, step } = context;
  const provenance = await provenanceOf(deps.store, key);
  if (provenance === null || provenance.fromTurn === null) return { kind: 'go_on' };
  const source = (await readStepHistory(deps.store, provenance.source, step)).turns.filter(isComplete);
  const left = provenance.fromTurn - (await turnsBefore(context, provenance.source));
  const turns = source.slice(0, Math.max(0, left));
  const marker = `${keys.step(key, step)}/carried`;
  if (!(await deps.store.has(marker))) {
    for (let turn = 0; turn < turns.length; turn++) {
      if (turn > 0 && deps.now() >= untilMs) return { kind: 'more' };
      await carryTurn(context, provenance.source, turns, turn);
    }
    if (left >= turns.length && left <= source.length) await keepForkSnapshot(context);
    await deps.store.putIfAbsent(marker, new Uint8Array(), 'process');
  }
  return goingOn(context, provenance, left > source.length);
}

async function goingOn(
  { deps, run, step, placement }: AttemptContext,
  { mode, source }: Provenance,
  beyond: boolean,
): Promise<Carried> {
  if (mode !== 'verify' && !beyond) return { kind: 'go_on' };
  // Other agents take no turns that could be carried over: they act again.
  if (run.config.agent !== 'tool-calling' && !placement.fromSnapshot) return { kind: 'go_on' };
  const end = await readRecord(deps.store, agentEndSchema, keys.agentEnd(source, step));
  if (end === null) return { kind: 'go_on' };
  return { kind: 'ended', end: { stopReason: end.stopReason, failure: end.failure } };
}

async function turnsBefore({ deps, step }: AttemptContext, source: ReplaySource): Promise<number> {
  let turns = 0;
  for (let earlier = 0; earlier < step; earlier++)
    turns += (await readStepHistory(deps.store, source, earlier)).turns.filter(isComplete).length;
  return turns;
}

async function carryTurn(
  context: AttemptContext,
  source: ReplaySource,
  turns: readonly TurnHistory[],
  turn: number,
): Promise<void> {
  const { deps, key, step, placement } = context;
  const recorded = turns[turn] as TurnHistory;
  await copySummary(context, source, turn);
  const call = { ...free(recorded.call), carried: true as const };
  await putRecordIfAbsent(deps.store, callRecordSchema, keys.call(key, step, turn), call);
  for (const [i, result] of recorded.results.entries()) {
    const at = keys.toolResult(key, step, turn, i);
    if (await deps.store.has(at)) continue;
    if (!placement.fromSnapshot) await executeAgain(context, turns, turn, i);
    await putRecordIfAbsent(deps.store, toolResultSchema, at, result, 'process');
  }
}

/** What was paid for in the source is not charged again; the agent's time it took still counts. */
function free<T extends { costUsd: number | null }>(call: T): T {
  return { ...call, usage: NO_USAGE, costUsd: call.costUsd === null ? null : 0 };
}

async function copySummary({ deps, key, step }: AttemptContext, source: ReplaySource, turn: number) {
  const summary = await readRecord(deps.store, summaryRecordSchema, keys.turnSummary(source, step, turn));
  if (summary === null) return;
  const copy = { ...summary, call: { ...free(summary.call), carried: true as const } };
  await putRecordIfAbsent(deps.store, summaryRecordSchema, keys.turnSummary(key, step, turn), copy);
}

async function executeAgain(
  context: AttemptContext,
  turns: readonly TurnHistory[],
  turn: number,
  index: number,
): Promise<void> {
  const { deps, run, task, step, lifecycle } = context;
  mayGoOn(lifecycle);
  const agent = agentFor(run.config);
  const { call, results } = turns[turn] as TurnHistory;
  const planned = agent?.plan(agentContextOf(deps.environmentOf(run), run, task, step), call)[index];
  if (!planned) return;
  const earlier = [...turns.slice(0, turn), { call, results: results.slice(0, index) }];
  // Only verifying must not need the model's key.
  const runner = new ToolRunner(context, turn, earlier, knownContextWindow(run.config));
  await runner.result(planned, index, timeOf(results[index] as ToolResult), 'toolReplayed');
}

/** A command that ran out of time does so again; any other may take longer than it did. */
function timeOf(recorded: ToolResult): number {
  return recorded.error === 'timeout' ? Math.max(1, recorded.durationMs) : HOUR_MS;
}
