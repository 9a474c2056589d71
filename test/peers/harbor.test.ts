import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { atifFormat } from '../../src/formats/atif/atif-format.js';
import { buildRunDocument } from '../../src/records/document.js';
import { episodesOfRun } from '../../src/records/episodes-of-run.js';
import { writeJobOutput } from '../../src/report/write-job-output.js';
import { openStore } from '../../src/store/index.js';
import { exportContext, recordedEpisode, recordedStep } from '../formats/recorded-episode.js';
import { call, turns } from '../report/recorded-run.js';
import { planOne, wholeRollout } from '../rollout/whole-rollout.js';
import { modelOf, response } from '../support/rollout-deps.js';
import { makeFolder } from '../support/state.js';
import { runPeer } from './support/python.js';

type Json = Record<string, unknown>;

let folder: string;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ folder, remove } = await makeFolder());
});
afterAll(() => remove());

/** What Harbor finds wrong, by file. */
async function problemsOf(paths: readonly string[]): Promise<Record<string, string[]>> {
  expect(paths.length).toBeGreaterThan(0);
  const { exitCode, stdout, stderr } = await runPeer('check_atif.py', paths);
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  return JSON.parse(stdout);
}

async function written(name: string, documents: readonly unknown[]): Promise<string[]> {
  const at = join(folder, name);
  await mkdir(at, { recursive: true });
  const paths = documents.map((_, i) => join(at, `${i}.json`));
  for (const [i, path] of paths.entries()) await writeFile(path, JSON.stringify(documents[i]));
  return paths;
}

const exported = (episode = recordedEpisode()) =>
  atifFormat.rows([episode], exportContext()).rows[0]?.value as Json & { steps: Json[] };

/** A run whose agents answer badly, call in vain, and finish. */
async function madeRun(): Promise<string> {
  const stateDir = join(folder, 'state');
  const store = await openStore(stateDir);
  await planOne(store, { samples: 2, maxTurns: 4 });
  const model = modelOf(({ turn }) => {
    if (turn === 0) return response({ content: '' });
    return turn === 1 ? response({ run: 'ls -l /; exit 3' }) : response({ content: 'Done. ✓' });
  });
  for (const sample of [0, 1]) await wholeRollout({ store, model }, sample);
  return stateDir;
}

test('Harbor accepts the trajectories of a run, exported and as a job', async () => {
  const store = await openStore(await madeRun());
  const documents: unknown[] = [];
  for await (const episode of episodesOfRun(store, 'run')) documents.push(exported(episode));
  const paths = await written('exported', documents);
  expect(paths).toHaveLength(2);

  const job = await writeJobOutput(
    store,
    await buildRunDocument(store, 'run', 'finished'),
    join(folder, 'jobs'),
  );
  const trials = (await readdir(job, { recursive: true })).filter((path) =>
    path.endsWith('agent/trajectory.json'),
  );
  expect(trials).toHaveLength(2);
  for (const trial of trials)
    expect(await readFile(join(job, trial), 'utf8')).toContain('Your answer was empty');
  expect(await problemsOf([...paths, ...trials.map((trial) => join(job, trial))])).toEqual({});
});

test('Harbor accepts tasks of several steps, sampled ids, broken arguments, images and a bare prompt', async () => {
  const sampled = call({ promptTokenIds: [1, 2], completionTokenIds: [3], logprobs: [-0.5] });
  const image = recordedEpisode();
  const [first, ...others] = image.trajectory.timesteps as [(typeof image.trajectory.timesteps)[0]];
  const content = [
    { type: 'text', text: 'look' },
    { type: 'image', image: 'https://example.org/a.png' },
    { type: 'image', image: 'data:image/png;base64,AAAA' },
    { type: 'audio', audio: '/a.wav' },
  ] as const;
  const seen = {
    ...first,
    chats: [
      ...first.chats,
      { ...first.chats[0], messages: [{ role: 'user', content: [...content], label: null }] },
    ],
  };
  const episodes = [
    recordedEpisode([recordedStep({ name: 'one' }), recordedStep({ name: 'two' })]),
    recordedEpisode([recordedStep({ turns: [{ call: sampled, results: [] }] })]),
    recordedEpisode([recordedStep({ turns: turns('[1, 2]') })]),
    recordedEpisode([recordedStep({ turns: [] })]),
    { ...image, trajectory: { ...image.trajectory, timesteps: [seen, ...others] } },
  ];
  const documents = episodes.map((episode) => exported(episode as ReturnType<typeof recordedEpisode>));
  expect(await problemsOf(await written('shapes', documents))).toEqual({});
});

test('Harbor refuses what is broken: a result of no call, a step out of order, a foreign field, metrics of a user', async () => {
  const good = exported();
  const change = (at: number, fields: Json) => ({
    ...good,
    steps: good.steps.map((step, i) => (i === at ? { ...step, ...fields } : step)),
  });
  const broken = [
    change(2, { observation: { results: [{ source_call_id: 'nobody', content: '' }] } }),
    change(2, { step_id: 9 }),
    { ...good, reward: 1 },
    change(1, { metrics: { prompt_tokens: 1 } }),
    { ...good, steps: [] },
  ];
  const paths = await written('broken', [good, ...broken]);
  expect(Object.keys(await problemsOf(paths))).toEqual(paths.slice(1));
});
