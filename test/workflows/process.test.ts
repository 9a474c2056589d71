import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupWorkflowId } from '../../src/core/ids.js';
import { workflowQueue } from '../../src/core/run/queues.js';
import { episodesOfGroup } from '../../src/records/episodes-of-group.js';
import { episodesOfRun } from '../../src/records/episodes-of-run.js';
import { keys } from '../../src/store/keys.js';
import { readRun } from '../../src/store/runs.js';
import { expectEveryRequestAccounted } from '../support/call-accounts.js';
import { groupsIn, rewardsOf } from '../support/groups.js';
import { answerTest, inlineSteps, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { runAgainst } from '../support/model-run.js';
import {
  type Answer,
  after as answersAfter,
  refuses,
  runs,
  type SeenCall,
  says,
} from '../support/model-server.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker();
});
afterAll(() => host.stop());

const task = (taskId: string) => inlineTask({ taskId, test: answerTest('42') });
const SEED = 100;
const sampleOf = ({ seed }: SeenCall): number => (seed ?? SEED) - SEED;

/** Even samples are right. */
const half = (call: SeenCall): Answer =>
  call.turn === 0 ? runs(`echo ${sampleOf(call) % 2 === 0 ? 42 : 41} > /app/answer`) : says('Done.');

const SICK = { intervalMs: 20, timeoutMs: 2_000, startPeriodMs: 0, startIntervalMs: 20, retries: 2 };

describe('a run of groups', () => {
  it('cycles its tasks, runs groups side by side and closes each once, with advantages', async () => {
    const { run, summary, server } = await runAgainst(
      host,
      'cycled',
      [await task('one'), await task('two')],
      (call) => (call.turn === 0 ? answersAfter(300, half(call)) : half(call)),
      { groups: 3, groupSize: 4, seed: SEED, concurrency: 12 },
    );
    expect(run).toMatchObject({ mode: 'process', status: 'finished' });
    expect(summary).toMatchObject({ nRollouts: 12, nScored: 12, nOpen: 0 });
    const groups = await groupsIn(host.store, 'cycled');
    expect(groups.map(({ groupId }) => groupId).sort()).toEqual([
      'cycled/one/0',
      'cycled/one/1',
      'cycled/two/0',
    ]);
    for (const group of groups) {
      expect(group).toMatchObject({
        valid: true,
        reason: null,
        size: 4,
        mean: 0.5,
        std: 0.5,
        zeroVariance: false,
      });
      expect(rewardsOf(group)).toEqual([1, 0, 1, 0]);
      expect(group.members.map(({ sample }) => sample)).toEqual([0, 1, 2, 3].map((i) => group.index * 4 + i));
      expect(group.members.map(({ advantages }) => advantages)).toEqual([
        [1, 1],
        [-1, -1],
        [1, 1],
        [-1, -1],
      ]);
    }
    // All three were at their first call before any was at its second.
    const seconds = server.seen.findIndex(({ turn }) => turn === 1);
    expect(new Set(server.seen.slice(0, seconds).map(({ seed }) => seed)).size).toBe(8);
    await expectEveryRequestAccounted(host.store, 'cycled', server);
  });

  it('says its advantages and returns at each timestep of its episodes', async () => {
    const run = await readRun(host.store, 'cycled');
    const [first] = (await groupsIn(host.store, 'cycled')).filter(
      ({ groupId }) => groupId === 'cycled/one/1',
    );
    if (!first) throw new Error('the group is not there');
    const episodes = await episodesOfGroup(host.store, run, first);
    expect(episodes.map(({ groupId, source }) => ({ groupId, source }))).toEqual(
      Array(4).fill({ groupId: 'cycled/one/1', source: 'batch' }),
    );
    const steps = episodes.map(({ trajectory }) =>
      trajectory.timesteps.map(({ advantage, mcReturn }) => [advantage, mcReturn]),
    );
    expect(steps).toEqual([
      [
        [1, 1],
        [1, 1],
      ],
      [
        [-1, 0],
        [-1, 0],
      ],
      [
        [1, 1],
        [1, 1],
      ],
      [
        [-1, 0],
        [-1, 0],
      ],
    ]);
    const inRun = [];
    for await (const episode of episodesOfRun(host.store, 'cycled')) inRun.push(episode.groupId);
    expect(inRun).toHaveLength(12);
    expect(new Set(inRun)).toEqual(new Set(['cycled/one/0', 'cycled/one/1', 'cycled/two/0']));
  });

  it('does nothing when it is started again, and neither does one of its groups', async () => {
    const before = await host.store.get(keys.group('cycled', 'one', 0));
    const { run } = await host.finish('cycled');
    expect(run.status).toBe('finished');
    const digest = await host.client.workflow.execute('group', {
      workflowId: `${groupWorkflowId({ runId: 'cycled', taskId: 'one', index: 0 })}/again`,
      taskQueue: workflowQueue(),
      args: [{ runId: 'cycled', taskId: 'one', index: 0, incarnation: 1, policy: {}, atOnce: 4 }],
    });
    expect(digest).toEqual({ valid: true, dead: false });
    expect(await host.store.get(keys.group('cycled', 'one', 0))).toEqual(before);
  });

  it('tries a member that the infrastructure failed alone, while its siblings are kept', async () => {
    // The second step needs a service that is not well where the first left `sick`.
    const healthcheck = { ...SICK, command: 'test "$(cat /app/answer)" != sick' };
    const test = answerTest('42');
    const steps = [
      { name: 'first', test },
      { name: 'second', test, step: { healthcheck } },
    ];
    const script = (call: SeenCall): Answer =>
      sampleOf(call) === 1 && call.turn === 0 && call.try === 1
        ? runs('echo sick > /app/answer')
        : half(call);
    const { rollouts, server } = await runAgainst(
      host,
      'retried',
      [await inlineSteps({ taskId: 'one', steps })],
      script,
      { groupSize: 4, seed: SEED },
    );
    const [group] = await groupsIn(host.store, 'retried');
    expect(group && rewardsOf(group)).toEqual([1, 0, 1, 0]);
    expect(group?.members.map(({ attempt }) => attempt)).toEqual([1, 2, 1, 1]);
    expect(rollouts.map(({ attempts }) => attempts)).toEqual([1, 2, 1, 1]);
    const calls = [0, 1, 2, 3].map(
      (sample) => server.seen.filter((call) => sampleOf(call) === sample).length,
    );
    expect(calls).toEqual([4, 6, 4, 4]);
  });

  it('is not valid under complete when a member has no score for good; the others keep theirs', async () => {
    const { server } = await runAgainst(
      host,
      'broken',
      [await task('one')],
      (call) => (sampleOf(call) === 2 ? refuses(401, 'no such key') : half(call)),
      { groupSize: 4, seed: SEED },
    );
    const [group] = await groupsIn(host.store, 'broken');
    expect(group).toMatchObject({
      valid: false,
      reason: '3 of 4 members have a score, 4 are needed',
      zeroVariance: false,
    });
    expect(group && rewardsOf(group)).toEqual([1, 0, null, 0]);
    expect(group?.mean).toBeCloseTo(1 / 3);
    expect(group?.members.every(({ advantages }) => advantages === null)).toBe(true);
    expect(server.seen.filter((call) => sampleOf(call) === 2)).toHaveLength(1);
  });

  it('keeps to its window where a group is larger than that', async () => {
    const later = (answer: Answer) => answersAfter(100, answer);
    let most = 0;
    let now = 0;
    const slow =
      (call: SeenCall): Answer =>
      async (response) => {
        most = Math.max(most, ++now);
        await later(half(call))(response);
        now -= 1;
      };
    await runAgainst(host, 'narrow', [await task('one')], slow, { groupSize: 5, concurrency: 2, seed: SEED });
    expect(most).toBeLessThanOrEqual(2);
    expect(rewardsOf((await groupsIn(host.store, 'narrow'))[0] as never)).toEqual([1, 0, 1, 0, 1]);
  });
});
