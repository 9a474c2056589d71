import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GroupFeed } from '../../src/store/groups.js';
import { keys } from '../../src/store/keys.js';
import { amendLimits } from '../../src/store/limits.js';
import type { GroupRecord } from '../../src/store/records/group.schema.js';
import { limitChangesSchema } from '../../src/store/records/limits.schema.js';
import { readPlan, readRun } from '../../src/store/runs.js';
import { groupsIn, rewardsOf } from '../support/groups.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { MODEL_RUN, modelServer, runAgainst } from '../support/model-run.js';
import { type Answer, after, refuses, runs, type SeenCall, says, stalls } from '../support/model-server.js';
import { until } from '../support/until.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker({ sliceMs: 500 });
});
afterAll(() => host.stop());

const SEED = 100;
const sampleOf = ({ seed }: SeenCall): number => (seed ?? SEED) - SEED;
const task = (taskId: string) => inlineTask({ taskId, test: answerTest('42') });
const solves = (call: SeenCall): Answer => (call.turn === 0 ? runs('echo 42 > /app/answer') : says('Done.'));
const stopReasons = ({ members }: GroupRecord) => members.map(({ stopReason }) => stopReason);

describe('a group under min-valid', () => {
  it('gives up its late members once enough are scored and the deadline has passed, and keeps what they did', async () => {
    const script = (call: SeenCall): Answer =>
      sampleOf(call) === 3 && call.turn === 1 ? stalls : solves(call);
    const { run, summary } = await runAgainst(host, 'late', [await task('one')], script, {
      groupSize: 4,
      seed: SEED,
      groupPolicy: 'min-valid',
      minValid: 3,
      groupDeadlineMs: 1_000,
    });
    expect(run.status).toBe('finished');
    expect(summary).toMatchObject({ nScored: 3, nCancelled: 1, nOpen: 0 });
    const [group] = await groupsIn(host.store, 'late');
    if (!group) throw new Error('the group is not closed');
    expect(group).toMatchObject({ valid: true, mean: 1, zeroVariance: true });
    expect(rewardsOf(group)).toEqual([1, 1, 1, null]);
    expect(stopReasons(group)[3]).toBe('cancelled');
    expect(group.members.map(({ advantages }) => advantages)).toEqual([[0, 0], [0, 0], [0, 0], null]);
    const kept = await host.store.get(keys.trajectory({ runId: 'late', taskId: 'one', sample: 3 }));
    expect(Buffer.from(kept ?? []).toString()).toContain('echo 42');
  });

  it('waits for all when too few are scored, whatever the deadline', async () => {
    const script = (call: SeenCall): Answer => (sampleOf(call) < 2 ? refuses(401, 'no') : solves(call));
    await runAgainst(host, 'few', [await task('one')], script, {
      groupSize: 4,
      seed: SEED,
      groupPolicy: 'min-valid',
      minValid: 3,
      groupDeadlineMs: 1,
    });
    const [group] = await groupsIn(host.store, 'few');
    expect(group).toMatchObject({ valid: false, reason: '2 of 4 members have a score, 3 are needed' });
    expect(group && rewardsOf(group)).toEqual([null, null, 1, 1]);
  });
});

describe('a run of groups that is told to', () => {
  const SLOW = { agent: 'tool-calling', model: 'scripted/turns-20-delay-100ms', groupSize: 3 } as const;
  const turnsOf = async (runId: string, sample: number) =>
    (await host.store.children(keys.turns({ runId, taskId: 'one', sample, attempt: 1 }, 0))).length;

  it('cancel ends its members as cancelled and closes the groups that were under way as not valid', async () => {
    await host.plan('cancelling', [await task('one')], { ...SLOW, groups: 2, concurrency: 4 });
    const done = host.finish('cancelling');
    await until(async () => (await turnsOf('cancelling', 0)) >= 3);
    await host.runs.cancel('cancelling');
    const { run, summary } = await done;
    expect(run.status).toBe('cancelled');
    expect(summary).toMatchObject({ nCancelled: 3, nOpen: 3 });
    const groups = await groupsIn(host.store, 'cancelling');
    expect(groups.map(({ groupId, valid }) => ({ groupId, valid }))).toEqual([
      { groupId: 'cancelling/one/0', valid: false },
    ]);
    expect(groups.flatMap(stopReasons)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  });

  it('pause and resume reaches members through their groups', async () => {
    await host.plan('pausing', [await task('one')], SLOW);
    const done = host.finish('pausing');
    await until(async () => (await turnsOf('pausing', 2)) >= 3);
    await host.runs.pause('pausing');
    await until(async () => (await host.runs.progress('pausing'))?.status === 'paused');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const held = await turnsOf('pausing', 2);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await turnsOf('pausing', 2)).toBe(held);
    await host.runs.resume('pausing');
    expect((await done).summary).toMatchObject({ nScored: 3, nOpen: 0 });
    expect(await groupsIn(host.store, 'pausing')).toHaveLength(1);
  });

  it('recover starts its groups anew under the same ids and goes on with what was sealed', async () => {
    const server = await modelServer((call) =>
      sampleOf(call) % 2 === 1 && call.turn === 1 ? after(4_000, solves(call)) : solves(call),
    );
    await host.plan('recovered', [await task('one')], {
      ...MODEL_RUN,
      baseUrl: server.baseUrl,
      groupSize: 2,
      groups: 2,
      seed: SEED,
    });
    await host.runs.start('recovered');
    const sealed = async (sample: number) =>
      (await host.store.get(keys.result({ runId: 'recovered', taskId: 'one', sample }))) !== null;
    await until(async () => (await sealed(0)) && (await sealed(2)));
    await host.runs.recover('recovered');
    expect(await host.runs.wait('recovered', AbortSignal.timeout(60_000))).toBe('finished');
    const groups = await groupsIn(host.store, 'recovered');
    expect(groups.map(rewardsOf)).toEqual([
      [1, 1],
      [1, 1],
    ]);
    // Nothing was paid for twice, neither of the sealed members nor of the others.
    expect(server.seen).toHaveLength(8);
  });
});

describe('members that have no room under the budget of their task', () => {
  it('wait while other groups go on, say so through their group, and go on when it is raised', async () => {
    const server = await modelServer(solves);
    await host.plan('held', [await task('one'), await task('two')], {
      ...MODEL_RUN,
      baseUrl: server.baseUrl,
      groupSize: 2,
      concurrency: 2,
      maxTokens: 500,
      groupBudgetTokens: 400,
    });
    await host.runs.start('held');
    // One group at a time has room in the window: held members take none.
    await until(async () => (await host.runs.progress('held'))?.reason === 'group_budget');
    const changes = limitChangesSchema.parse({ groupBudgetTokens: 1_000_000 });
    await amendLimits(host.store, 'held', changes, Date.now);
    await host.runs.amend('held', (await readRun(host.store, 'held')).config, true);
    expect(await host.runs.wait('held', AbortSignal.timeout(50_000))).toBe('finished');
    expect((await groupsIn(host.store, 'held')).map(rewardsOf)).toEqual([
      [1, 1],
      [1, 1],
    ]);
    expect(server.seen).toHaveLength(8);
  });
});

describe('groups without a single score', () => {
  it('pause the run after so many in a row and say why; it goes on when a person says so', async () => {
    let broken = true;
    const server = await modelServer((call) => (broken ? refuses(401, 'no such key') : solves(call)));
    await host.plan('dead', [await task('one'), await task('two')], {
      ...MODEL_RUN,
      baseUrl: server.baseUrl,
      groupSize: 2,
      groups: 8,
      deadGroups: 3,
      concurrency: 2,
    });
    await host.runs.start('dead');
    await until(async () => (await host.runs.progress('dead'))?.reason === 'dead_groups');
    expect(await host.runs.progress('dead')).toMatchObject({ status: 'paused' });
    const closed = (await groupsIn(host.store, 'dead')).length;
    expect(closed).toBeGreaterThanOrEqual(3);
    expect(closed).toBeLessThanOrEqual(5);
    broken = false;
    await host.runs.resume('dead');
    expect(await host.runs.wait('dead', AbortSignal.timeout(60_000))).toBe('finished');
    const groups = await groupsIn(host.store, 'dead');
    expect(groups).toHaveLength(8);
    expect(groups.filter(({ valid }) => valid)).toHaveLength(8 - closed);
  });

  it('are answered by the feed once, also by one that goes on after an earlier one', async () => {
    const [run, plan] = await Promise.all([readRun(host.store, 'dead'), readPlan(host.store, 'dead')]);
    const all = await groupsIn(host.store, 'dead');
    const known = all.slice(0, 3).map(({ groupId }) => groupId);
    const feed = new GroupFeed(host.store, run, plan, known);
    expect((await feed.poll()).map(({ groupId }) => groupId)).toEqual(
      all.slice(3).map(({ groupId }) => groupId),
    );
    expect(feed.done).toBe(true);
    expect(await feed.poll()).toEqual([]);
  });
});
