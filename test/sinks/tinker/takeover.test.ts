import { appendFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ArtifactStore } from '../../../src/store/store.js';
import {
  batchesOf,
  deliver,
  filesOf,
  manifestOf,
  start,
  type TinkerRun,
  tinkerRun,
  until,
} from './tinker-run.js';

/** Six groups, of which one is in no batch; the run has ended. */
async function endedRun(): Promise<TinkerRun> {
  const run = await tinkerRun({ maxLag: 0 });
  await run.serve.policies.tell({ version: 'v1', source: 'api' });
  await run.serve.closeMany(2, { policyVersion: 'v1' });
  await run.serve.close({ rewards: [0, 0] });
  await run.serve.closeMany(3, { policyVersion: 'v1' });
  await run.serve.end();
  return run;
}

const BATCHES = [['run/t0/0', 'run/t1/0'], ['run/t1/1', 'run/t0/2'], ['run/t1/2']];

/** A store whose process dies right after the n-th write of the sink's ledger; 0: at its first, which is lost. */
function dying(store: ArtifactStore, nth: number): ArtifactStore {
  let writes = 0;
  return {
    get: (key) => store.get(key),
    has: (key) => store.has(key),
    put: (key, value, durability) => store.put(key, value, durability),
    children: (prefix) => store.children(prefix),
    remove: (key) => store.remove(key),
    locate: (key) => store.locate(key),
    putIfAbsent: async (key, value, durability) => {
      if (!key.includes('/ledger/')) return store.putIfAbsent(key, value, durability);
      if (nth === 0) throw new Error('killed');
      const won = await store.putIfAbsent(key, value, durability);
      if (++writes === nth) throw new Error('killed');
      return won;
    },
  };
}

/** As if the sink had never begun. */
async function forget({ store, folder }: TinkerRun): Promise<void> {
  await store.remove('runs/run/sinks/');
  rmSync(folder, { recursive: true });
}

test('a sink that dies at any of its decisions is carried on: the same files, and no group twice', async () => {
  const run = await endedRun();
  await deliver(run);
  const files = filesOf(run);
  expect(batchesOf(run)).toEqual(BATCHES);
  for (const nth of [0, 1, 2, 3, 4]) {
    await forget(run);
    const { executor, ended } = await start(run, { store: dying(run.store, nth) });
    await expect(ended).rejects.toThrow('killed');
    await executor.close();
    await deliver(run);
    expect(filesOf(run), `decision ${nth}`).toEqual(files);
  }
}, 30_000);

test('what a killed writer left half-written is written again, byte for byte', async () => {
  const run = await endedRun();
  await deliver(run);
  const files = filesOf(run);
  // As after a crash between the second batch and its line in the index.
  const [first = ''] = (files['index.jsonl'] ?? '').split('\n');
  truncateSync(join(run.folder, 'index.jsonl'), first.length + 1);
  appendFileSync(join(run.folder, 'index.jsonl'), '{"batch": 2, "fi');
  const partial = join(run.folder, '.batch_000002.jsonl.0.partial');
  writeFileSync(partial, '{"model_in');
  utimesSync(partial, 0, 0);
  truncateSync(join(run.folder, 'skipped.jsonl'), 10);
  rmSync(join(run.folder, 'batch_000003.jsonl'));
  await deliver(run);
  expect(filesOf(run)).toEqual(files);
});

test('a folder that was lost is filled again from the store, masks as they were whatever policies came since', async () => {
  const run = await endedRun();
  await deliver(run);
  const files = filesOf(run);
  await run.serve.policies.tell({ version: 'v2', source: 'api' });
  rmSync(run.folder, { recursive: true });
  await deliver(run);
  expect(filesOf(run)).toEqual(files);
});

test('batches that a trainer has removed are not written again', async () => {
  const run = await endedRun();
  await deliver(run);
  for (const name of ['batch_000001.jsonl', 'batch_000001.meta.jsonl']) rmSync(join(run.folder, name));
  await deliver(run);
  expect(Object.keys(filesOf(run))).not.toContain('batch_000001.jsonl');
});

test('an executor that a newer one has replaced writes nothing more, and no group is in two batches', async () => {
  const run = await tinkerRun();
  const older = await start(run);
  await run.serve.closeMany(2);
  await until(() => manifestOf(run).batches === 1);
  const newer = await start(run);
  await run.serve.closeMany(3);
  await expect(older.ended).rejects.toMatchObject({ code: 'fenced' });
  await run.serve.end();
  await newer.ended;
  expect(batchesOf(run)).toEqual([['run/t0/0', 'run/t1/0'], ['run/t0/1', 'run/t1/1'], ['run/t0/2']]);
});

test('two executors that decide at the same time come to one decision', async () => {
  const run = await endedRun();
  // As if each had asked for the fence before the other began.
  const checkFence = async () => undefined;
  const [first, second] = [await start(run, { checkFence }), await start(run, { checkFence })];
  await Promise.all([first.ended, second.ended]);
  expect(batchesOf(run)).toEqual(BATCHES);
});

test('a folder with the batches of another run is refused, and stays as it was', async () => {
  const run = await endedRun();
  await deliver(run);
  const files = filesOf(run);
  const other = await tinkerRun({ tinker: run.folder }, { runId: 'other' });
  const { ended } = await start(other);
  await expect(ended).rejects.toMatchObject({
    code: 'already_exists',
    message: expect.stringContaining('holds the batches of run run, and this is run other'),
  });
  expect(filesOf(run)).toEqual(files);
});
