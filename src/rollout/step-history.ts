import type { TurnHistory } from '../agent/agent.js';
import { append } from '../core/append.js';
import type { AttemptKey } from '../core/ids.js';
import { addUsage, NO_USAGE, type Usage } from '../core/usage.js';
import { keys } from '../store/keys.js';
import { readChildren, readRecord } from '../store/records.js';
import {
  type CallFailure,
  type CallRecord,
  callFailureSchema,
  callRecordSchema,
  summaryRecordSchema,
  type ToolResult,
  toolResultSchema,
} from '../store/records.schema.js';
import type { ArtifactStore } from '../store/store.js';

/** The recorded turns of one step, the last of which may lack some tool results. */
export interface StepHistory {
  turns: TurnHistory[];
  /** Failed and lost calls of all turns. */
  failures: CallFailure[];
  usage: Usage;
  costUsd: number | null;
  modelMs: number;
  toolsMs: number;
}

/** Reads a step's turns as far as they are recorded. */
export async function readStepHistory(
  store: ArtifactStore,
  key: AttemptKey,
  step: number,
): Promise<StepHistory> {
  const names = await store.children(keys.turns(key, step));
  const read = await Promise.all(names.map((name) => readTurn(store, key, step, Number(name))));
  const history = emptyHistory();
  for (const { turn, summary, failures } of read) {
    for (const failure of failures) chargeFailure(history, failure);
    if (summary) chargeCall(history, summary);
    if (turn) chargeTurn(history, turn);
  }
  return history;
}

/** The ids of the tool calls of the steps before this one. */
export async function earlierCallIds(store: ArtifactStore, key: AttemptKey, step: number): Promise<string[]> {
  const ids: string[] = [];
  for (let earlier = 0; earlier < step; earlier++)
    for (const { value } of await readChildren(
      store,
      callRecordSchema,
      keys.turns(key, earlier),
      'call.json',
    ))
      append(
        ids,
        value.message.toolCalls.map(({ id }) => id),
      );
  return ids;
}

export function emptyHistory(): StepHistory {
  return { turns: [], failures: [], usage: NO_USAGE, costUsd: null, modelMs: 0, toolsMs: 0 };
}

export function addCost(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0);
}

/** A failed or lost call costs money, never the agent's time. */
export function chargeFailure(history: StepHistory, failure: CallFailure): void {
  history.failures.push(failure);
  history.usage = addUsage(history.usage, failure.usage);
  history.costUsd = addCost(history.costUsd, failure.costUsd);
}

export function chargeTurn(history: StepHistory, turn: TurnHistory): void {
  history.turns.push(turn);
  chargeCall(history, turn.call);
  for (const result of turn.results) history.toolsMs += result.durationMs;
}

/** A call that was answered: a turn's own, or the summary asked for before it. */
export function chargeCall(history: StepHistory, call: CallRecord): void {
  history.usage = addUsage(history.usage, call.usage);
  history.costUsd = addCost(history.costUsd, call.costUsd);
  history.modelMs += call.latencyMs;
}

export interface TurnRecords {
  /** Null until its call is answered. */
  turn: TurnHistory | null;
  summary: CallRecord | null;
  failures: CallFailure[];
}

export async function readTurn(
  store: ArtifactStore,
  key: AttemptKey,
  step: number,
  turn: number,
): Promise<TurnRecords> {
  const [call, summaryRecord, recorded] = await Promise.all([
    readRecord(store, callRecordSchema, keys.call(key, step, turn)),
    readRecord(store, summaryRecordSchema, keys.turnSummary(key, step, turn)),
    readFailures(store, key, step, turn),
  ]);
  const summary = summaryRecord?.call ?? null;
  // Given up as lost, yet its answer arrived in time to count: it counts once.
  const failures = recorded.filter(({ callId }) => callId !== call?.callId && callId !== summary?.callId);
  if (call === null) return { turn: null, summary, failures };
  const results = await Promise.all(
    call.message.toolCalls.map((_, i) =>
      readRecord(store, toolResultSchema, keys.toolResult(key, step, turn, i)),
    ),
  );
  const done = results.filter((result): result is ToolResult => result !== null);
  return { turn: { call, results: done }, summary, failures };
}

export async function readFailures(
  store: ArtifactStore,
  key: AttemptKey,
  step: number,
  turn: number,
): Promise<CallFailure[]> {
  const failures = await readChildren(store, callFailureSchema, keys.failures(key, step, turn));
  return failures.map((failure) => failure.value);
}
