import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { episodesOfRun, readFeedback } from '../../src/records/episodes-of-run.js';
import { openStore } from '../../src/store/index.js';
import { keys } from '../../src/store/keys.js';
import { giveFeedback } from '../../src/trajectories/feedback.js';
import { recordRun, task } from '../report/recorded-run.js';
import { result } from '../store/fixtures.js';
import { type CliAnswer, longrun } from './support/longrun.js';

let stateDir: string;
const run = (...argv: string[]): Promise<CliAnswer> => longrun(argv, { LONGRUN_HOME: stateDir });

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'longrun-feedback-'));
  const tasks = ['good', 'poor', 'open'].map((taskId) => task(taskId));
  const store = await openStore(stateDir);
  await recordRun(store, tasks, [
    { result: result({ taskId: 'good' }) },
    { result: result({ taskId: 'poor', reward: 0 }) },
    { result: result({ taskId: 'open' }) },
  ]);
  await store.remove(keys.result({ runId: 'r', taskId: 'open', sample: 0 }));
});
afterAll(() => rm(stateDir, { recursive: true, force: true }));

describe('longrun traj feedback', () => {
  it('keeps what several people say, by whom and when, and shows all of it', async () => {
    const first = await run('traj', 'feedback', 'r/good/0', '👍', '--by', 'ada', '--note', 'neat\u001b[31m');
    expect(first).toMatchObject({ code: 0, stdout: '' });
    expect(first.stderr).toContain('r/good/0: 1 by ada, the 1st feedback on it.');
    const second = await run('traj', 'feedback', 'r/good/0', '-0.5', '--by', 'bob', '--json');
    expect(second.json()).toMatchObject({
      rollout_id: 'r/good/0',
      number: 2,
      feedback: { value: -0.5, by: 'bob', note: null },
    });
    const shown = (await run('rollouts', 'show', 'r/good/0')).stdout;
    expect(shown).toMatch(
      /feedback 👍 1 · ada · \d{4}-\d\d-\d\d \d\d:\d\d · neat␛\[31m\nfeedback -0\.5 · bob/,
    );
    const json = (await run('rollouts', 'show', 'r/good/0', '--json')).json();
    expect(json.feedback.map(({ by }: { by: string }) => by)).toEqual(['ada', 'bob']);
  });

  it('is a reward of source user in the trajectory', async () => {
    await run('traj', 'feedback', 'r/poor/0', 'up', '--by', 'ada');
    const rewards = [];
    for await (const episode of episodesOfRun(await openStore(stateDir), 'r'))
      if (episode.rollout?.taskId === 'poor') rewards.push(...episode.rewards);
    expect(rewards).toMatchObject([
      { source: 'environment', value: 0 },
      { source: 'user', quality: 'high', value: 1, by: 'ada' },
    ]);
  });

  it('gives everybody a number of their own, however many speak at once', async () => {
    const store = await openStore(stateDir);
    const rollout = { runId: 'r', taskId: 'poor', sample: 0 };
    const before = (await readFeedback(store, rollout)).length;
    await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        giveFeedback(store, rollout, { value: i, by: `p${i}`, at: 100 + i, note: null }),
      ),
    );
    const all = await readFeedback(store, rollout);
    expect(all).toHaveLength(before + 8);
    expect(new Set(all.map(({ by }) => by)).size).toBeGreaterThanOrEqual(8);
  });

  it.each<[string, string[], RegExp, number]>([
    ['a word that is no verdict', ['r/good/0', 'great'], /found "great", accepted: up, down, 👍, 👎/, 2],
    ['an unknown rollout, with the likely one', ['r/goood/0', 'up'], /no task goood[\s\S]*mean good/, 1],
    ['what is no rollout', ['good', 'up'], /not the id of a rollout/, 2],
    ['a rollout that is still open', ['r/open/0', 'up'], /still open/, 2],
    ['an empty name', ['r/good/0', 'up', '--by', ' '], /--by: found nothing/, 2],
  ])('refuses %s', async (_, argv, why, code) => {
    const answer = await run('traj', 'feedback', ...argv);
    expect(answer.stderr).toMatch(why);
    expect(answer.code).toBe(code);
  });
});
