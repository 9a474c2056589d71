import type { AttemptKey, RolloutKey } from '../../../src/core/ids.js';
import { finalizeAttempt } from '../../../src/rollout/finalize.js';
import { keys } from '../../../src/store/keys.js';
import { putRecordIfAbsent } from '../../../src/store/records/records.js';
import {
  agentEndSchema,
  callRecordSchema,
  toolResultSchema,
  verdictSchema,
} from '../../../src/store/records/records.schema.js';
import type { ArtifactStore } from '../../../src/store/store.js';
import { modelOf, response, rolloutDeps } from '../../support/rollout-deps.js';

/** One model call as it was sampled. */
export interface MadeTurn {
  promptTokenIds: number[] | null;
  completionTokenIds: number[] | null;
  logprobs: number[] | null;
  policyVersion?: string | null;
  sequenceId?: string | null;
}

export interface MadeRollout {
  /** Null: it ended for a reason that is not the agent's. */
  reward: number | null;
  /** Each but the last calls a tool. */
  turns: MadeTurn[];
}

const AT = 1_700_000_000_000;

/** Puts the records of a rollout into the store, as an executor leaves them, and ends it as the worker does. */
export async function sealRollout(
  store: ArtifactStore,
  rollout: RolloutKey,
  { reward, turns }: MadeRollout,
): Promise<void> {
  const key: AttemptKey = { ...rollout, attempt: 1 };
  for (const [i, turn] of turns.entries()) await putTurn(store, key, i, turn, i === turns.length - 1);
  const ended =
    reward === null
      ? ({
          stopReason: 'sandbox_lost',
          failure: { code: 'sandbox_gone', message: 'the container is gone', retryable: true, hint: null },
        } as const)
      : null;
  if (reward !== null) await putVerdict(store, key, reward, turns.length);
  const deps = rolloutDeps({ store, model: modelOf(() => response({})) });
  await finalizeAttempt(deps, { ...key, incarnation: 1, maxAttempts: 1, ended });
}

async function putTurn(
  store: ArtifactStore,
  key: AttemptKey,
  turn: number,
  made: MadeTurn,
  last: boolean,
): Promise<void> {
  const { promptTokenIds, completionTokenIds, logprobs, policyVersion = null, sequenceId = null } = made;
  const startedAt = AT + key.sample * 1_000 + turn;
  const call = { id: `call_${turn}`, name: 'terminal', arguments: '{"command":"ls"}' };
  await putRecordIfAbsent(
    store,
    callRecordSchema,
    keys.call(key, 0, turn),
    {
      schemaVersion: 1,
      callId: `${key.taskId}-${key.sample}-${turn}`,
      model: 'test-model',
      requestId: null,
      finishReason: last ? 'stop' : 'tool_calls',
      message: { content: last ? 'Done.' : '', reasoning: 'Let me see.', toolCalls: last ? [] : [call] },
      usage: {
        promptTokens: promptTokenIds?.length ?? 10,
        cachedTokens: 0,
        completionTokens: completionTokenIds?.length ?? 5,
      },
      costUsd: null,
      latencyMs: 10,
      startedAt,
      ...{ promptTokenIds, completionTokenIds, logprobs, sequenceId, policyVersion },
      sentView: null,
    },
    'process',
  );
  if (last) return;
  await putRecordIfAbsent(
    store,
    toolResultSchema,
    keys.toolResult(key, 0, turn, 0),
    {
      schemaVersion: 1,
      toolCallId: call.id,
      name: call.name,
      content: 'a file',
      success: true,
      error: null,
      exitCode: 0,
      durationMs: 1,
      startedAt: startedAt + 10,
    },
    'process',
  );
}

async function putVerdict(
  store: ArtifactStore,
  key: AttemptKey,
  reward: number,
  turns: number,
): Promise<void> {
  await putRecordIfAbsent(
    store,
    agentEndSchema,
    keys.agentEnd(key, 0),
    { schemaVersion: 1, stopReason: 'natural', failure: null, turns, activeMs: 10, endedAt: AT + 100 },
    'process',
  );
  await putRecordIfAbsent(
    store,
    verdictSchema,
    keys.verdict(key, 0),
    {
      schemaVersion: 1,
      step: 'main',
      reward,
      rewards: { reward },
      isolation: 'shared',
      failure: null,
      stopReason: null,
      suspectedTampering: [],
      testOutput: '',
      durationMs: 1,
      verifiedAt: AT + 200,
    },
    'process',
  );
}
