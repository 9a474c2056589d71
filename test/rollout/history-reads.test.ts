import { describe, expect, it } from 'vitest';
import { totalTokens } from '../../src/core/rollout/usage.js';
import { readTurns } from '../../src/records/read-turns.js';
import { placeSandbox } from '../../src/rollout/place.js';
import { runSlice } from '../../src/rollout/turns/slice.js';
import { readStepHistory } from '../../src/rollout/turns/step-history.js';
import { keys } from '../../src/store/keys.js';
import { writeRecord } from '../../src/store/records/records.js';
import { callRecordSchema, toolResultSchema } from '../../src/store/records/records.schema.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { tempStore } from '../store/temp-store.js';
import { countingStore } from '../support/counting-store.js';
import { lifecycle, modelOf, response, rolloutDeps } from '../support/rollout-deps.js';
import { KEY, planOne } from './whole-rollout.js';

const fence = (slice: number) => ({ incarnation: 1, slice, activityAttempt: 1 });

/** Turns with two tool calls each, all of which have their results. */
async function recordTurns(store: ArtifactStore, turns: number): Promise<void> {
  const call = { name: 'terminal', arguments: '{"command":"true"}' };
  for (let turn = 0; turn < turns; turn++) {
    const ids = [`call_${turn}_0`, `call_${turn}_1`];
    await writeRecord(store, callRecordSchema, keys.call(KEY, 0, turn), {
      schemaVersion: 1,
      callId: `c${turn}`,
      model: 'm',
      requestId: null,
      finishReason: 'tool_calls',
      message: { content: '', reasoning: null, toolCalls: ids.map((id) => ({ id, ...call })) },
      usage: { promptTokens: 10, cachedTokens: 0, completionTokens: 5 },
      costUsd: null,
      latencyMs: 1,
      startedAt: 1,
      promptTokenIds: null,
      completionTokenIds: null,
      logprobs: null,
      sentView: null,
    });
    for (const [i, toolCallId] of ids.entries())
      await writeRecord(store, toolResultSchema, keys.toolResult(KEY, 0, turn, i), {
        schemaVersion: 1,
        toolCallId,
        name: 'terminal',
        content: `${turn}`,
        success: true,
        error: null,
        exitCode: 0,
        durationMs: 1,
        startedAt: 1,
      });
  }
}

describe('the recorded turns of an agent', () => {
  it('are read once by each slice that goes on from them', async () => {
    const { store, reads } = countingStore(await tempStore());
    await planOne(store, { maxTurns: 60 });
    const model = modelOf(() => response({ content: 'Done.' }));
    const deps = rolloutDeps({ store, model });
    await placeSandbox(deps, { ...KEY, incarnation: 1, slice: 1, maxAttempts: 1 }, 1, lifecycle());
    await recordTurns(store, 40);
    reads.forget();
    const answer = await runSlice(deps, KEY, 0, fence(2), lifecycle());
    expect(answer).toMatchObject({ done: true, turns: 41, stopReason: 'natural' });
    const ofTurns = reads.gets.filter((key) => /\/turns\/000[0-3]\d\//.test(key));
    expect(ofTurns).toHaveLength(new Set(ofTurns).size);
    // The call and its two results.
    expect(ofTurns).toHaveLength(3 * 40);
  });

  it('are told of by a slice with all that was taken and spent in it', async () => {
    const store = await tempStore();
    await planOne(store, { maxTurns: 60 });
    const model = modelOf((_, nth) => response(nth < 4 ? { run: 'true' } : { content: 'Done.' }));
    // Over after its first turn.
    const deps = rolloutDeps({ store, model, sliceMs: 0 });
    await placeSandbox(deps, { ...KEY, incarnation: 1, slice: 1, maxAttempts: 1 }, 1, lifecycle());
    const answers = [];
    for (let slice = 2; answers.at(-1)?.done !== true; slice++)
      answers.push(await runSlice(deps, KEY, 0, fence(slice), lifecycle()));
    expect(answers.map(({ turns, tokens, done }) => [turns, tokens, done])).toEqual([
      [1, 110, false],
      [2, 220, false],
      [3, 330, false],
      [4, 440, true],
    ]);
    expect(totalTokens((await readStepHistory(store, KEY, 0)).usage)).toBe(440);
  });

  it('are read a few at a time, however many there are', async () => {
    const { store, reads } = countingStore(await tempStore());
    await recordTurns(store, 300);
    const { turns, toolsMs } = await readStepHistory(store, KEY, 0);
    expect([turns.length, toolsMs]).toEqual([300, 600]);
    expect(turns.map(({ call }) => call.callId)).toEqual(turns.map((_, i) => `c${i}`));
    expect(reads.most).toBeLessThanOrEqual(64);
    reads.forget();
    expect((await readTurns(store, KEY, 0)).map(({ results }) => results.length)).toEqual(Array(300).fill(2));
    expect(reads.most).toBeLessThanOrEqual(64);
  });
});
