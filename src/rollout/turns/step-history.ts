import type { TurnHistory } from '../../agent/agent.js';
import type { AttemptKey } from '../../core/ids.js';
import { append } from '../../core/lists/append.js';
import { addUsage, NO_USAGE, type Usage } from '../../core/rollout/usage.js';
import { keys } from '../../store/keys.js';
import { gatherBounded, mapBounded } from '../../store/map-bounded.js';
import { readChildren, readRecord } from '../../store/records/records.js';
import {
  type CallFailure,
  type CallRecord,
  callFailureSchema,
  callRecordSchema,
  type SummaryRecord,
  summaryRecordSchema,
  type ToolResult,
  toolResultSchema,
} from '../../store/records/records.schema.js';
import type { ArtifactStore } from '../../store/store.js';

/** The recorded turns of one step, the last of which may lack some tool results. */
export interface StepHistory {
  turns: TurnHistory[];
  /** The newest; null without the `summarise` policy. */
  summary: SummaryRecord | null;
  /** Failed and lost calls of all turns. */
  failures: CallFailure[];
  usage: Usage;
  costUsd: number | null;
  modelMs: number;
  toolsMs: number;
}

/** Turns that are read at once, and results of one turn: together few enough for the limit on open files. */
const PARALLEL_TURNS = 16;
const PARALLEL_RESULTS = 4;

/**
 * Reads one step as often as is asked, each turn that is complete only once: nothing is added to it any more, and
 * a conversation may be long and its store far away.
 */
export class StepReader {
  private readonly complete = new Map<number, TurnRecords>();

  constructor(
    private readonly store: ArtifactStore,
    private readonly key: AttemptKey,
    private readonly step: number,
  ) {}

  /** The turns as far as they are recorded now. */
  async read(): Promise<StepHistory> {
    const names = await this.store.children(keys.turns(this.key, this.step));
    const history = emptyHistory();
    const turns = mapBounded(names, (name) => this.turn(Number(name)), PARALLEL_TURNS);
    for await (const { result } of turns) {
      const { turn, summary, failures } = result;
      for (const failure of failures) chargeFailure(history, failure);
      if (summary) chargeCall(history, summary.call);
      if (turn) chargeTurn(history, turn);
      history.summary = summary ?? history.summary;
    }
    return history;
  }

  private async turn(turn: number): Promise<TurnRecords> {
    const known = this.complete.get(turn);
    if (known !== undefined) return known;
    const records = await readTurn(this.store, this.key, this.step, turn);
    if (records.turn !== null && isComplete(records.turn)) this.complete.set(turn, records);
    return records;
  }
}

/** Reads a step's turns as far as they are recorded. */
export function readStepHistory(store: ArtifactStore, key: AttemptKey, step: number): Promise<StepHistory> {
  return new StepReader(store, key, step).read();
}

/** Every command of the turn has its result. */
export function isComplete({ call, results }: TurnHistory): boolean {
  return results.length === call.message.toolCalls.length;
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
  return { turns: [], summary: null, failures: [], usage: NO_USAGE, costUsd: null, modelMs: 0, toolsMs: 0 };
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
  summary: SummaryRecord | null;
  failures: CallFailure[];
}

export async function readTurn(
  store: ArtifactStore,
  key: AttemptKey,
  step: number,
  turn: number,
): Promise<TurnRecords> {
  // Listed first: most turns have no summary, no failure and at most one result.
  const there = new Set(await store.children(keys.turn(key, step, turn)));
  const [call, summary, recorded] = await Promise.all([
    there.has('call.json') ? readRecord(store, callRecordSchema, keys.call(key, step, turn)) : null,
    there.has('summary.json')
      ? readRecord(store, summaryRecordSchema, keys.turnSummary(key, step, turn))
      : null,
    there.has('failures') ? readFailures(store, key, step, turn) : [],
  ]);
  // Given up as lost, yet its answer arrived in time to count: it counts once.
  const answered = [call?.callId, summary?.call.callId];
  const failures = recorded.filter(({ callId }) => !answered.includes(callId));
  if (call === null) return { turn: null, summary, failures };
  const read = (i: number) => readRecord(store, toolResultSchema, keys.toolResult(key, step, turn, i));
  const calls = there.has('tools') ? call.message.toolCalls.keys() : [];
  const results = await gatherBounded(calls, read, PARALLEL_RESULTS);
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
