import { expect } from 'vitest';
import type { AttemptKey, RolloutKey } from '../../src/core/ids.js';
import { settleLostCalls } from '../../src/rollout/calls/lost-calls.js';
import { readTurn, type TurnRecords } from '../../src/rollout/turns/step-history.js';
import { keys } from '../../src/store/keys.js';
import { plannedRollouts, readPlan } from '../../src/store/runs.js';
import type { ArtifactStore } from '../../src/store/store.js';
import type { ModelServer } from './model-server.js';

export interface CallAccounts {
  /** Call ids by what became of them. */
  answered: string[];
  failed: string[];
  lost: string[];
  /** Of the failed and lost: those whose request may never have left. */
  cutShort: string[];
}

/** Every model call of a run according to its records. */
export async function callAccounts(store: ArtifactStore, runId: string): Promise<CallAccounts> {
  const accounts = noAccounts();
  for (const rollout of plannedRollouts(runId, await readPlan(store, runId))) {
    const { answered, failed, lost, cutShort } = await rolloutAccounts(store, rollout);
    accounts.answered.push(...answered);
    accounts.failed.push(...failed);
    accounts.lost.push(...lost);
    accounts.cutShort.push(...cutShort);
  }
  return accounts;
}

/** The same of one rollout, all its attempts. */
export async function rolloutAccounts(store: ArtifactStore, rollout: RolloutKey): Promise<CallAccounts> {
  const accounts = noAccounts();
  for await (const { turn, summary, failures } of turnsOf(store, rollout)) {
    // A replay has copies of the answers that it starts from.
    for (const call of [turn?.call, summary?.call])
      if (call && call.carried !== true) accounts.answered.push(call.callId);
    for (const { kind, code, callId } of failures) {
      accounts[kind].push(callId);
      if (kind === 'lost' || code === 'cancelled') accounts.cutShort.push(callId);
    }
  }
  return accounts;
}

const noAccounts = (): CallAccounts => ({ answered: [], failed: [], lost: [], cutShort: [] });

/**
 * Requests = answered turns + lost calls + failed tries, each with one record. A call that was announced
 * when its executor died or was cancelled has a record, too, whether or not its request had left.
 */
export async function expectEveryRequestAccounted(
  store: ArtifactStore,
  runId: string,
  server: ModelServer,
): Promise<CallAccounts> {
  const accounts = await callAccounts(store, runId);
  const seen = server.seen.map(({ callId }) => callId).sort();
  const neverLeft = new Set(accounts.cutShort.filter((callId) => !seen.includes(callId)));
  const recorded = [...accounts.answered, ...accounts.failed, ...accounts.lost].sort();
  expect(recorded.filter((callId) => !neverLeft.has(callId))).toEqual(seen);
  return accounts;
}

async function* turnsOf(store: ArtifactStore, rollout: RolloutKey): AsyncGenerator<TurnRecords> {
  for (const attempt of await store.children(keys.attempts(rollout))) {
    const key: AttemptKey = { ...rollout, attempt: Number(attempt) };
    for (const step of await store.children(`${keys.attempt(key)}/steps`)) {
      for (const turn of await store.children(keys.turns(key, Number(step)))) {
        const unsettled = await settleLostCalls(store, key, Number(step), Number(turn), () => 0);
        if (unsettled.length > 0) throw new Error(`a call of turn ${turn} has neither answer nor failure`);
        yield readTurn(store, key, Number(step), Number(turn));
      }
    }
  }
}
