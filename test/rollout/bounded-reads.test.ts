import { describe, expect, it } from 'vitest';
import { openGroup } from '../../src/rollout/books/group-book.js';
import { openPartition } from '../../src/rollout/books/run-book.js';
import { spentSoFar } from '../../src/rollout/calls/spent-so-far.js';
import { keys } from '../../src/store/keys.js';
import { writeRecord } from '../../src/store/records/records.js';
import { callRecordSchema, rolloutResultSchema } from '../../src/store/records/records.schema.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { result } from '../store/fixtures.js';
import { tempStore } from '../store/temp-store.js';
import { countingStore } from '../support/counting-store.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { MODEL_RUN } from '../support/model-run.js';
import { planRun } from '../support/plan-run.js';
import { modelOf, response, rolloutDeps } from '../support/rollout-deps.js';

/** Reads under way at once that every process can bear, whatever else it does. */
const FEW = 100;

const depsOf = (store: ArtifactStore) => rolloutDeps({ store, model: modelOf(() => response({})) });
const sample = (n: number) => ({ runId: 'r', taskId: 't', sample: n });

async function planOf(store: ArtifactStore, config: Parameters<typeof planRun>[3]): Promise<void> {
  await planRun(store, 'r', [await inlineTask({ taskId: 't', test: answerTest('42') })], {
    ...MODEL_RUN,
    ...config,
  });
}

async function recordCalls(store: ArtifactStore, rollout: ReturnType<typeof sample>, turns: number) {
  for (let turn = 0; turn < turns; turn++)
    await writeRecord(store, callRecordSchema, keys.call({ ...rollout, attempt: 1 }, 0, turn), {
      schemaVersion: 1,
      callId: `c${turn}`,
      model: 'm',
      requestId: null,
      finishReason: 'stop',
      message: { content: '', reasoning: null, toolCalls: [] },
      usage: { promptTokens: 10, cachedTokens: 0, completionTokens: 5 },
      costUsd: null,
      latencyMs: 1,
      startedAt: 1,
      promptTokenIds: null,
      completionTokenIds: null,
      logprobs: null,
      sentView: null,
    });
}

describe('what is read at once', () => {
  it('does not grow with the samples of a partition', async () => {
    const { store, reads } = countingStore(await tempStore());
    await planOf(store, { samples: 300 });
    await writeRecord(store, rolloutResultSchema, keys.result(sample(7)), result({ sample: 7 }));
    const { done, open } = await openPartition(depsOf(store), 'r', 0);
    expect([done, open[0]?.samples.length, open[0]?.samples.includes(7)]).toEqual([1, 299, false]);
    expect(reads.most).toBeLessThan(FEW);
  });

  it('does not grow with the members of a group', async () => {
    const { store, reads } = countingStore(await tempStore());
    await planOf(store, { groupSize: 300 });
    await writeRecord(store, rolloutResultSchema, keys.result(sample(7)), result({ sample: 7 }));
    const { samples, begun, scored } = await openGroup(depsOf(store), { runId: 'r', taskId: 't', index: 0 });
    expect([samples.length, begun, scored]).toEqual([299, true, 1]);
    expect(reads.most).toBeLessThan(FEW);
  });

  it('does not grow with the turns of the rollouts whose spending is added up', async () => {
    const { store, reads } = countingStore(await tempStore());
    await planOf(store, { samples: 40 });
    for (let n = 0; n < 40; n++) await recordCalls(store, sample(n), 20);
    expect(await spentSoFar(store, 'r')).toMatchObject({ tokens: 40 * 20 * 15 });
    expect(reads.most).toBeLessThan(FEW);
  });
});
