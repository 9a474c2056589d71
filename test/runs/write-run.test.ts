import { beforeEach, describe, expect, it } from 'vitest';
import { writeRun } from '../../src/runs/write-run.js';
import { putBlob } from '../../src/store/blobs.js';
import { openStore } from '../../src/store/index.js';
import { keys } from '../../src/store/keys.js';
import { readPlan, readRun, readTask } from '../../src/store/runs.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { runRecord } from '../launch/support/records.js';
import { countingStore } from '../support/counting-store.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { serveConfig } from '../support/serve-config.js';
import { temporaryStateDir } from '../support/state.js';

const task = (taskId: string) => inlineTask({ taskId, test: answerTest(taskId) });

describe('a run written to the store', () => {
  let store: ArtifactStore;
  beforeEach(async () => {
    store = await openStore(await temporaryStateDir());
  });

  it('has its record, its plan, its tasks and their files', async () => {
    const tasks = [await task('a'), await task('b')];
    const { created, plan } = await writeRun(store, runRecord('r'), tasks);
    expect(created).toBe(true);
    expect(plan.tasks).toEqual([
      { taskId: 'a', samples: 2 },
      { taskId: 'b', samples: 2 },
    ]);
    expect(await readRun(store, 'r')).toEqual(runRecord('r'));
    expect(await readPlan(store, 'r')).toEqual(plan);
    expect((await readTask(store, 'r', 'b')).taskId).toBe('b');
    for (const { blobs } of tasks)
      for (const sha of blobs.keys()) expect(await store.get(keys.blob(sha))).not.toBeNull();
  });

  it('puts the files that the store lacks, looking only for its own', async () => {
    for (let n = 0; n < 50; n++) await putBlob(store, new TextEncoder().encode(`of an earlier run: ${n}`));
    await writeRun(store, runRecord('first'), [await task('a')]);
    const { store: counted, reads } = countingStore(store);
    const [known, fresh] = [await task('a'), await task('b')];
    const made: string[] = [];
    const watched = [known, fresh].map(({ task: one, blobs }) => ({
      task: one,
      blobs: new Map(
        [...blobs].map(([sha, make]) => [
          sha,
          () => {
            made.push(sha);
            return make();
          },
        ]),
      ),
    }));
    await writeRun(counted, runRecord('second'), watched);
    expect(reads.lists).toEqual([]);
    expect(made).toEqual([...fresh.blobs.keys()].filter((sha) => !known.blobs.has(sha)));
    for (const sha of fresh.blobs.keys()) expect(await store.has(keys.blob(sha))).toBe(true);
  });

  it('is found again by the same id and settings', async () => {
    await writeRun(store, runRecord('r'), [await task('a')]);
    const again = await writeRun(store, { ...runRecord('r'), createdAt: 2_000 }, [await task('a')]);
    expect(again.created).toBe(false);
    expect(again.run.createdAt).toBe(1_000);
  });

  it('that serves is found again from another host, and keeps the one that has its folders', async () => {
    const from = (hostId: string) =>
      runRecord('r', { groupSize: 1, serve: serveConfig({ jsonl: '/data', hostId }) });
    await writeRun(store, from('first'), [await task('a')]);
    const { created, run } = await writeRun(store, from('second'), [await task('a')]);
    expect(created).toBe(false);
    expect(run.config.serve?.hostId).toBe('first');
  });

  it('is refused for the same id with other settings, naming them', async () => {
    await writeRun(store, runRecord('r'), [await task('a')]);
    const other = runRecord('r', { maxTurns: 99, model: 'm' });
    await expect(writeRun(store, other, [await task('a')])).rejects.toMatchObject({
      code: 'bad_input',
      exitCode: 2,
      message: expect.stringMatching(/model was null, now "m"; max_turns was 10, now 99/),
      hint: expect.stringContaining('longrun runs resume r'),
    });
  });

  it('is refused for the same id with other tasks, naming them', async () => {
    await writeRun(store, runRecord('r'), [await task('a'), await task('b')]);
    await expect(writeRun(store, runRecord('r'), [await task('a'), await task('c')])).rejects.toMatchObject({
      message: expect.stringMatching(/1 tasks are not selected any more \(b\); 1 tasks were added \(c\)/),
    });
  });

  it('that was killed half-way is completed by the next launch', async () => {
    const tasks = [await task('a'), await task('b')];
    await writeRun(store, runRecord('r'), tasks);
    await store.remove(keys.plan('r'));
    await store.remove(keys.task('r', 'b'));
    await writeRun(store, runRecord('r'), tasks);
    expect((await readPlan(store, 'r')).tasks).toHaveLength(2);
    expect((await readTask(store, 'r', 'b')).taskId).toBe('b');
  });
});
