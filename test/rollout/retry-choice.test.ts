import { describe, expect, it } from 'vitest';
import { chooseRetries } from '../../src/queue/choose-retries.js';
import { keys } from '../../src/store/keys.js';
import { writeRecord } from '../../src/store/records/records.js';
import { planSchema, rolloutResultSchema, runRecordSchema } from '../../src/store/records/records.schema.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { lostResult, plan, runRecord } from '../store/fixtures.js';
import { tempStore } from '../store/temp-store.js';
import { countingStore } from '../support/counting-store.js';

/** Runs each rollout of which was lost with its sandbox. */
async function failedRuns(runIds: readonly string[], samples: number): Promise<ArtifactStore> {
  const store = await tempStore();
  for (const runId of runIds) {
    await writeRecord(store, runRecordSchema, keys.run(runId), runRecord({ runId }));
    await writeRecord(store, planSchema, keys.plan(runId), plan({ t: samples }));
    for (let sample = 0; sample < samples; sample++)
      await writeRecord(
        store,
        rolloutResultSchema,
        keys.result({ runId, taskId: 't', sample }),
        lostResult({ sample }),
      );
  }
  return store;
}
const named = (ids: string[]) => ({ ids, runId: null, state: null });

describe('rollouts that are named to be tried again', () => {
  it('are looked up with one reading of their run, however many there are', async () => {
    const { store, reads } = countingStore(await failedRuns(['r', 's'], 20));
    const ids = Array.from({ length: 20 }, (_, i) => [`r/t/${i}`, `s/t/${i}`]).flat();
    const chosen = await chooseRetries(store, named(ids));
    expect([...chosen].map(([runId, found]) => [runId, found.length])).toEqual([
      ['r', 20],
      ['s', 20],
    ]);
    expect(reads.gets.filter((key) => key.endsWith('/plan.json'))).toHaveLength(2);
    expect(reads.gets.filter((key) => key.endsWith('/run.json'))).toHaveLength(2);
    expect(reads.most).toBeLessThanOrEqual(32);
  });

  it('are refused by name where there is no such rollout, run or id', async () => {
    const store = await failedRuns(['r'], 1);
    await expect(chooseRetries(store, named(['r/t/0', 'r/t/1']))).rejects.toThrow('run r has no rollout t/1');
    await expect(chooseRetries(store, named(['r/t/0', 'x/t/0']))).rejects.toThrow('no run is called "x"');
    await expect(chooseRetries(store, named(['r/t']))).rejects.toThrow('"r/t" is not the id of a rollout');
  });
});
