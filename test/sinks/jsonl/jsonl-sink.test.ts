import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { groupId } from '../../../src/core/ids.js';
import { jsonlSink } from '../../../src/sinks/jsonl/index.js';
import { checkJsonlFolder, jsonlOptions } from '../../../src/sinks/jsonl/jsonl-options.js';
import { readSinkStatus } from '../../../src/sinks/sink-status.js';
import { keys } from '../../../src/store/keys.js';
import { readPlan } from '../../../src/store/runs.js';
import { ProcessOutput } from '../../../src/trajectories/process/process-output.js';
import { tempStateDir, tempStore } from '../../store/temp-store.js';
import { contentOf, rowsOf } from '../../trajectories/process/folder.js';
import { ServeRun, type ServeRunOptions } from '../support/serve-run.js';

const PATIENT = { timeout: 20_000 };
const FORMATS = ['atropos-group', 'tinker', 'sharegpt'];

async function planned({ serve, ...options }: ServeRunOptions = {}) {
  const folder = join(await tempStateDir(), 'rows');
  const run = await ServeRun.plan(await tempStore(), {
    ...{ groupSize: 2, ...options },
    serve: { jsonl: folder, formats: FORMATS, ...serve },
  });
  return {
    run,
    folder,
    sink: jsonlSink(run.run),
    written: () => rowsOf(folder, 'groups.jsonl').map(({ group_id }) => group_id),
  };
}

it('writes the same files as longrun process does of the same groups', async () => {
  const { run, folder, sink } = await planned();
  await run.closeMany(3);
  await run.close({ rewards: [1, 1] });
  await run.close({ rewards: [null, 1] });
  await run.end();
  const executor = await run.executor('jsonl');
  await sink.run(executor.context);
  await sink.close(executor.context);
  await executor.close();

  const other = await tempStateDir();
  const { serve } = run.run.config;
  if (serve === null) throw new Error('it serves');
  const options = { ...jsonlOptions(serve, { longrunVersion: '0.0.0', gitCommit: null }), folder: other };
  const output = await ProcessOutput.open(run.store, run.run, await readPlan(run.store, 'run'), options);
  await output.settle(true);
  expect(output.failure).toBeNull();
  expect(contentOf(folder)).toEqual(contentOf(other));
  expect(Object.keys(contentOf(folder))).toContain('statistics.json');
  expect(rowsOf(folder, 'atropos-group.jsonl')).toHaveLength(3);
  expect(executor.allowed).toEqual([Number.MAX_SAFE_INTEGER]);
  expect(await readSinkStatus(run.store, run.run, 'jsonl')).toMatchObject({ delivered: 5, queued: 0 });
});

it('grows as groups close, and goes on where an earlier executor was stopped or died', async () => {
  const { run, sink, written } = await planned();
  const closed = (await run.closeMany(2)).map(groupId);
  const first = await run.executor('jsonl');
  const working = sink.run(first.context);
  await expect.poll(written, PATIENT).toEqual(closed);
  closed.push(groupId(await run.close()));
  await expect.poll(written, PATIENT).toEqual(closed);
  first.stop();
  await expect(working).rejects.toThrow();
  await first.close();

  closed.push(groupId(await run.close()));
  const second = await run.executor('jsonl');
  const goingOn = sink.run(second.context);
  await expect.poll(written, PATIENT).toEqual(closed);
  // It dies: what it knew of its progress is gone, as if it had never been saved.
  second.stop();
  await expect(goingOn).rejects.toThrow();
  await second.close();
  await run.store.remove(keys.sinkProgress('run', 'jsonl'));

  closed.push(groupId(await run.close()));
  await run.end();
  const third = await run.executor('jsonl');
  await sink.run(third.context);
  expect(written()).toEqual(closed);
  expect(third.settled.delivered).toBe(5);
});

it('masks what a policy that is too old has sampled, and keeps it in the baseline', async () => {
  const { run, folder, sink } = await planned({ serve: { maxLag: 1 } });
  for (const version of ['1', '2', '3']) await run.policies.tell({ version, source: 'trainer' });
  await run.close({ member: (member) => ({ policyVersion: member === 0 ? '1' : '3' }) });
  await run.end();
  const executor = await run.executor('jsonl');
  await sink.run(executor.context);
  await executor.close();
  const [row] = rowsOf(folder, 'atropos-group.jsonl') as { masks: number[][]; scores: number[] }[];
  const trained = row?.masks.map((masks) => masks.filter((id) => id !== -100).length);
  expect(trained).toEqual([0, 10]);
  expect(row?.scores).toEqual([1, 0]);
  expect(executor.lags).toEqual([2, 0]);
  expect(await readSinkStatus(run.store, run.run, 'jsonl')).toMatchObject({
    ...{ masked: 1, lag: 2, policyVersion: '3' },
  });
});

it('gives batches to an estimator that needs them, the last one as large as it is', async () => {
  const { run, sink, written } = await planned({
    config: { estimator: 'reinforce++' },
    serve: { batchGroups: 2 },
  });
  await run.closeMany(4);
  const first = await run.executor('jsonl');
  const working = sink.run(first.context);
  await expect.poll(() => written().length, PATIENT).toBe(4);
  await run.closeMany(2 + 2);
  await expect.poll(() => written().length, PATIENT).toBe(8);
  await run.close();
  await run.end();
  await working;
  expect(first.settled.delivered).toBe(9);
  expect(new Set(written()).size).toBe(9);
});

it('writes what a cancelled run has closed, once', async () => {
  const { run, folder, sink, written } = await planned();
  const closed = (await run.closeMany(2)).map(groupId);
  const executor = await run.executor('jsonl');
  await sink.close(executor.context);
  await executor.close();
  const again = await run.executor('jsonl');
  await sink.close(again.context);
  expect(written()).toEqual(closed);
  expect(JSON.parse(contentOf(folder)['statistics.json'] as string).groups.written).toBe(2);
});

it('writes nothing once a newer executor has begun', async () => {
  const { run, sink, written } = await planned();
  const older = await run.executor('jsonl');
  const newer = await run.executor('jsonl');
  await run.close();
  await expect(sink.run(older.context)).rejects.toMatchObject({ code: 'fenced' });
  await run.end();
  await sink.run(newer.context);
  expect(written()).toHaveLength(1);
});

it('refuses the folder of another run before anything is started', async () => {
  const { run, sink, folder } = await planned();
  const { serve } = run.run.config;
  if (serve === null) throw new Error('it serves');
  await checkJsonlFolder(serve, null);
  await run.end();
  const executor = await run.executor('jsonl');
  await sink.run(executor.context);
  await expect(checkJsonlFolder(serve, 'another')).rejects.toMatchObject({ code: 'already_exists' });
  await checkJsonlFolder(serve, 'run');
  await rm(folder, { recursive: true });
});
