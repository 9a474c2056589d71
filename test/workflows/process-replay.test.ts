import { afterAll, beforeAll, expect, it } from 'vitest';
import { episodesOfGroup } from '../../src/records/episodes-of-group.js';
import { readEpisode } from '../../src/records/episodes-of-run.js';
import { readMembership } from '../../src/records/read-group.js';
import { keys } from '../../src/store/keys.js';
import { readResult, readRun } from '../../src/store/runs.js';
import { groupsIn } from '../support/groups.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { runAgainst } from '../support/model-run.js';
import { refuses, runs, says } from '../support/model-server.js';
import { replays } from '../support/replaying.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker();
});
afterAll(() => host.stop());

const RUN = 'replayed';

it('a replay of a member of a closed group counts for the run, and changes nothing of the group', async () => {
  let broken = true;
  const task = await inlineTask({ taskId: 'one', test: answerTest('42') });
  await runAgainst(
    host,
    RUN,
    [task],
    ({ seed, turn }) => {
      if (broken && seed === 3) return refuses(401, 'no such key');
      return turn === 0 ? runs(`echo ${seed === 1 ? 41 : 42} > /app/answer`) : says('Done.');
    },
    { groupSize: 3, groupPolicy: 'min-valid', minValid: 2 },
  );
  const before = await host.store.get(keys.group(RUN, 'one', 0));
  broken = false;
  await replays(host, RUN, { failed: true });

  const { summary } = await host.document(RUN);
  expect(summary).toMatchObject({ nScored: 3, nPassed: 2 });
  expect(await host.store.get(keys.group(RUN, 'one', 0))).toEqual(before);
  const [group] = await groupsIn(host.store, RUN);
  if (!group) throw new Error('the group is not closed');
  expect(group.members.map(({ advantages }) => advantages)).toEqual([[-1, -1], [1, 1], null]);

  const run = await readRun(host.store, RUN);
  const now = await readResult(host.store, { runId: RUN, taskId: 'one', sample: 2 });
  if (!now) throw new Error('the member has no result');
  expect(now).toMatchObject({ attempt: 2, reward: 1 });
  expect(await readMembership(host.store, run, now)).toBeNull();
  const fresh = await readEpisode(host.store, run, now);
  expect(fresh.trajectory.timesteps.map(({ advantage }) => advantage)).toEqual([null, null]);
  // Who reads the group reads the attempts that it was closed with.
  const members = await episodesOfGroup(host.store, run, group);
  expect(members.map(({ rollout }) => rollout?.attempt)).toEqual([1, 1, 1]);
});
