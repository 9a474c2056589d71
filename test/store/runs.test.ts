import { describe, expect, it } from 'vitest';
import { keys } from '../../src/store/keys.js';
import { mapBounded } from '../../src/store/map-bounded.js';
import { writeRecord } from '../../src/store/records/records.js';
import { planSchema, rolloutResultSchema, runRecordSchema } from '../../src/store/records/records.schema.js';
import { listRuns, plannedRollouts, readPlan, readResults, readRun } from '../../src/store/runs.js';
import { plan, result, runRecord } from './fixtures.js';
import { bytes, tempStore } from './temp-store.js';

describe('runs', () => {
  it('are listed newest first', async () => {
    const store = await tempStore();
    for (const [runId, createdAt] of [
      ['b', 20],
      ['c', 30],
      ['a', 10],
    ] as const) {
      await writeRecord(store, runRecordSchema, keys.run(runId), runRecord({ runId, createdAt }));
    }
    expect((await listRuns(store)).map((run) => run.runId)).toEqual(['c', 'b', 'a']);
  });

  it('that cannot be read do not hide the others', async () => {
    const store = await tempStore();
    await writeRecord(store, runRecordSchema, keys.run('whole'), runRecord({ runId: 'whole' }));
    await store.put(keys.run('damaged'), bytes('{'));
    await store.put(keys.run('newer'), bytes('{"schema_version": 9}'));
    const broken: string[] = [];
    const runs = await listRuns(store, (runId, error) => broken.push(`${runId} ${error.code}`));
    expect(runs.map((run) => run.runId)).toEqual(['whole']);
    expect(broken).toEqual(['damaged record_invalid', 'newer record_newer']);
    await expect(listRuns(store)).rejects.toMatchObject({ code: 'record_invalid' });
  });

  it('that do not exist are named, with those that do', async () => {
    const store = await tempStore();
    await writeRecord(store, runRecordSchema, keys.run('known'), runRecord({ runId: 'known' }));
    await expect(readRun(store, 'unknown')).rejects.toMatchObject({
      code: 'not_found',
      hint: expect.stringContaining('known'),
    });
    await expect(readPlan(store, 'known')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('results of a run', () => {
  it('come in the order of the plan, without those that are still open', async () => {
    const store = await tempStore();
    await writeRecord(store, planSchema, keys.plan('r'), plan({ t2: 2, t1: 1, t3: 40 }));
    const samples = [
      ['t1', 0],
      ['t2', 1],
      ['t3', 39],
      ['t3', 3],
    ] as const;
    for (const [taskId, sample] of samples) {
      const rollout = { runId: 'r', taskId, sample };
      await writeRecord(store, rolloutResultSchema, keys.result(rollout), result({ taskId, sample }));
    }
    const found = await readResults(store, 'r', await readPlan(store, 'r'));
    expect(found.map((one) => one.rolloutId)).toEqual(['r/t2/1', 'r/t1/0', 'r/t3/3', 'r/t3/39']);
    expect([...plannedRollouts('r', plan({ a: 1, b: 2 }))].map((k) => `${k.taskId}${k.sample}`)).toEqual([
      'a0',
      'b0',
      'b1',
    ]);
  });
});

describe('bounded reading', () => {
  it('keeps the order and never has more under way than allowed', async () => {
    let running = 0;
    let most = 0;
    const double = async (n: number): Promise<number> => {
      most = Math.max(most, ++running);
      for (let i = 0; i < n % 5; i++) await Promise.resolve();
      running--;
      return 2 * n;
    };
    const items = Array.from({ length: 200 }, (_, i) => i);
    const doubled: number[] = [];
    for await (const { item, result: twice } of mapBounded(items, double, 7)) {
      expect(twice).toBe(2 * item);
      doubled.push(twice);
    }
    expect(doubled).toEqual(items.map((n) => 2 * n));
    expect(most).toBeLessThanOrEqual(7);
  });

  it('fails with the first failure in order', async () => {
    const fail = async (n: number): Promise<number> => {
      if (n >= 3) throw new Error(`item ${n}`);
      return n;
    };
    const read = async () => {
      for await (const _ of mapBounded([1, 2, 3, 4, 5], fail));
    };
    await expect(read()).rejects.toThrow('item 3');
  });
});
