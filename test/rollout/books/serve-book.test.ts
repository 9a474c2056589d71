import { beforeEach, describe, expect, it } from 'vitest';
import { openGroup } from '../../../src/rollout/books/group-book.js';
import {
  completeFeed,
  endServing,
  feedGroup,
  openShift,
  serveOpening,
} from '../../../src/rollout/books/serve-book.js';
import type { RolloutDeps } from '../../../src/rollout/deps.js';
import { AppendLog } from '../../../src/store/append-log.js';
import { openStore } from '../../../src/store/index.js';
import { keys } from '../../../src/store/keys.js';
import { groupRecordSchema } from '../../../src/store/records/group.schema.js';
import { writeRecord } from '../../../src/store/records/records.js';
import { feedEntrySchema } from '../../../src/store/records/serve.schema.js';
import { readPlan, readRun } from '../../../src/store/runs.js';
import { readServed } from '../../../src/store/shifts.js';
import type { ArtifactStore } from '../../../src/store/store.js';
import { inlineTask } from '../../support/inline-task.js';
import { planRun } from '../../support/plan-run.js';
import { serveConfig } from '../../support/serve-config.js';
import { temporaryStateDir } from '../../support/state.js';

let store: ArtifactStore;
const now = () => 1;

beforeEach(async () => {
  store = await openStore(await temporaryStateDir());
  const serve = serveConfig({ jsonl: '/rows', hostId: 'here', shiftRollouts: 6 });
  const tasks = await Promise.all(['a', 'b'].map((taskId) => inlineTask({ taskId, test: 'true' })));
  await planRun(store, 'r', tasks, { groupSize: 2, serve });
});

const look = async () => ({ run: await readRun(store, 'r'), plan: await readPlan(store, 'r') });
const open = async (index: number) => {
  const { run, plan } = await look();
  return openShift({ store, now }, run, plan, index);
};
const samples = async () => (await readPlan(store, 'r')).tasks.map((task) => task.samples);
const begin = (taskId: string, sample: number) =>
  store.put(`${keys.attempts({ runId: 'r', taskId, sample })}/1/attempt.json`, new Uint8Array([1]));

async function close(taskId: string, index: number): Promise<void> {
  await writeRecord(store, groupRecordSchema, keys.group('r', taskId, index), {
    schemaVersion: 1,
    groupId: `r/${taskId}/${index}`,
    ...{ taskId, index, size: 2, estimator: 'grpo', policy: 'complete', valid: true, reason: null },
    ...{ mean: 1, std: 0, zeroVariance: true, members: [], policyVersions: [], closedAt: 5 },
  });
}

async function fed(): Promise<string[]> {
  const feed = new AppendLog(store, feedEntrySchema, keys.feed('r'));
  const entries = await Promise.all(Array.from({ length: await feed.length() }, (_, n) => feed.read(n)));
  return entries.map((entry) => `${entry?.taskId}/${entry?.index}`);
}

describe('the books of a run that serves', () => {
  it('cut the sequence into shifts of whole groups, tasks in turn, and the plan grows with them', async () => {
    expect(await samples()).toEqual([0, 0]);
    const { groups } = await open(0);
    expect(groups).toEqual({
      size: 2,
      begun: 0,
      open: [
        { taskId: 'a', index: 0, n: 0 },
        { taskId: 'b', index: 0, n: 1 },
        { taskId: 'a', index: 1, n: 2 },
      ],
    });
    expect(await samples()).toEqual([4, 2]);
    await open(1);
    expect(await samples()).toEqual([6, 6]);
  });

  it('give a shift that is opened again what it has not closed, and say what had begun', async () => {
    await open(0);
    await begin('a', 0);
    await close('a', 0);
    await begin('b', 1);
    expect(await open(0)).toEqual({
      done: 2,
      open: [],
      groups: {
        size: 2,
        begun: 2,
        open: [
          { taskId: 'b', index: 0, n: 1 },
          { taskId: 'a', index: 1, n: 2 },
        ],
      },
    });
  });

  it('begin after the shifts that are closed', async () => {
    for (const shift of [0, 1]) await open(shift);
    for (const [taskId, index] of [
      ['a', 0],
      ['b', 0],
      ['a', 1],
      ['b', 1],
    ] as const)
      await close(taskId, index);
    const { run, plan } = await look();
    const { done, serve, partitions } = await serveOpening({ store }, run, plan);
    expect(done).toBe(6);
    expect(serve).toMatchObject({ first: 1, opened: 6, groupsPerShift: 3, groups: null });
    expect(partitions).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('end the sequence after what was begun, and with it the plan', async () => {
    await open(0);
    await close('a', 0);
    await begin('b', 0);
    await endServing({ store, now }, 'r', 'cancelled');
    await endServing({ store, now }, 'r', 'groups');
    expect(await readServed(store, 'r')).toMatchObject({ groups: 2, reason: 'cancelled' });
    expect(await samples()).toEqual([2, 2]);
  });

  it('put no end while a group is open that was begun: sinks would end without it', async () => {
    await open(0);
    await close('a', 0);
    await begin('b', 0);
    await expect(endServing({ store, now }, 'r', 'trainer')).rejects.toMatchObject({
      code: 'internal',
      hint: expect.stringContaining('runs recover r'),
    });
    expect(await readServed(store, 'r')).toBeNull();
    await close('b', 0);
    await endServing({ store, now }, 'r', 'trainer');
    expect(await readServed(store, 'r')).toMatchObject({ groups: 2, reason: 'trainer' });
  });

  it('carry a run that had its end no further than that', async () => {
    await open(0);
    await close('a', 0);
    await close('b', 0);
    await endServing({ store, now }, 'r', 'trainer');
    const { run, plan } = await look();
    expect(await serveOpening({ store }, run, plan)).toMatchObject({ partitions: 1, serve: { groups: 2 } });
    expect(await open(0)).toMatchObject({ done: 4, groups: { open: [] } });
  });

  it('count a group as begun when a later one has', async () => {
    await open(0);
    await close('a', 0);
    await open(1);
    await begin('b', 2);
    expect((await open(0)).groups).toMatchObject({ begun: 3 });
    expect((await open(1)).groups).toMatchObject({ begun: 4 });
  });

  it('feed a closed group that is opened once more, and every other before the end', async () => {
    await open(0);
    for (const [taskId, index] of [
      ['a', 0],
      ['b', 0],
    ] as const)
      await close(taskId, index);
    expect(await fed()).toEqual([]);
    await openGroup({ store } as RolloutDeps, { runId: 'r', taskId: 'b', index: 0 });
    expect(await fed()).toEqual(['b/0']);
    await endServing({ store, now }, 'r', 'groups');
    expect(await fed()).toEqual(['b/0', 'a/0']);
  });

  it('feed groups whose executor died before it could say that they had closed', async () => {
    await open(0);
    for (const [taskId, index] of [
      ['a', 0],
      ['b', 0],
      ['a', 1],
    ] as const)
      await close(taskId, index);
    await feedGroup(store, 'r', { taskId: 'b', index: 0, closedAt: 5 });
    const { run, plan } = await look();
    for (let times = 0; times < 2; times++) await completeFeed({ store }, run, plan);
    expect(await fed()).toEqual(['b/0', 'a/0', 'a/1']);
  });
});
