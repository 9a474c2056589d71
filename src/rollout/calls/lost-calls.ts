import type { AttemptKey } from '../../core/ids.js';
import { keys } from '../../store/keys.js';
import { putRecordIfAbsent, readChildren } from '../../store/records/records.js';
import {
  type CallFailure,
  type CallIntent,
  callFailureSchema,
  callIntentSchema,
} from '../../store/records/records.schema.js';
import type { ArtifactStore } from '../../store/store.js';
import { readTurn } from '../turns/step-history.js';

/**
 * Records the calls of one turn whose executor died while they were in the air: an intent without
 * an answer, charged at its bound. Answers those that were not recorded before.
 */
export async function settleLostCalls(
  store: ArtifactStore,
  key: AttemptKey,
  step: number,
  turn: number,
  now: () => number,
): Promise<CallFailure[]> {
  const settled: CallFailure[] = [];
  for (const intent of await openIntents(store, key, step, turn)) {
    const name = `${keys.failures(key, step, turn)}/${intent.callId}.json`;
    const { won, value } = await putRecordIfAbsent(store, callFailureSchema, name, {
      schemaVersion: 1,
      callId: intent.callId,
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
      endedAt: now(),
    });
    if (won) settled.push(value);
  }
  return settled;
}

/** Calls of one turn that have neither an answer nor a failure on record. */
export async function openIntents(
  store: ArtifactStore,
  key: AttemptKey,
  step: number,
  turn: number,
): Promise<CallIntent[]> {
  const intents = await readChildren(store, callIntentSchema, keys.intents(key, step, turn));
  if (intents.length === 0) return [];
  const { turn: taken, summary, failures } = await readTurn(store, key, step, turn);
  const known = new Set([taken?.call.callId, summary?.call.callId, ...failures.map(({ callId }) => callId)]);
  return intents.map(({ value }) => value).filter(({ callId }) => !known.has(callId));
}

/** The same for a whole attempt that ends: only the last turn of a step can have had a call in the air. */
export async function settleLostCallsOf(
  store: ArtifactStore,
  key: AttemptKey,
  steps: number,
  now: () => number,
): Promise<void> {
  for (let step = 0; step < steps; step++) {
    const last = (await store.children(keys.turns(key, step))).map(Number).sort((a, b) => b - a)[0];
    if (last === undefined) return;
    await settleLostCalls(store, key, step, last, now);
  }
}
