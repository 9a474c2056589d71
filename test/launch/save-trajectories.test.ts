import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TrajectorySaver } from '../../src/launch/save-trajectories.js';
import { readPlan, readResults } from '../../src/store/runs.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { planOne, wholeRollout } from '../rollout/whole-rollout.js';
import { tempStore } from '../store/temp-store.js';
import { modelOf, response } from '../support/rollout-deps.js';
import { temporaryFolder } from '../support/state.js';

const SAMPLES = 'trajectory_samples.jsonl';
const FAILED = 'failed_trajectories.jsonl';

interface Row {
  conversations: { from: string; value: string }[];
  completed: boolean;
  metadata: Record<string, unknown>;
}

/** Two samples of one task: one is done in two turns, the other runs out of turns. */
async function twoRollouts(): Promise<ArtifactStore> {
  const store = await tempStore();
  await planOne(store, { samples: 2, maxTurns: 2 });
  const done = modelOf(({ turn }) => response(turn === 0 ? { run: 'ls' } : { content: 'Done.' }));
  await wholeRollout({ store, model: done }, 0);
  await wholeRollout({ store, model: modelOf(() => response({ run: 'ls' })) }, 1);
  return store;
}

function saverIn(folder: string, store: ArtifactStore, file: string | null = null): TrajectorySaver {
  const warned = (message: string) => expect.fail(message);
  return new TrajectorySaver({ runId: 'run', folder, file, openStore: async () => store, onWarning: warned });
}

async function save(
  folder: string,
  store: ArtifactStore,
  file: string | null = null,
): Promise<TrajectorySaver> {
  const saver = saverIn(folder, store, file);
  saver.add(await readResults(store, 'run', await readPlan(store, 'run')));
  await saver.settle();
  expect(saver.failure).toBeNull();
  return saver;
}

const rows = (path: string): Row[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);

describe('saved trajectories', () => {
  it('are ShareGPT rows, completed ones apart from the others, each naming its rollout', async () => {
    const folder = await temporaryFolder();
    await save(folder, await twoRollouts());
    const [samples, failed] = [rows(join(folder, SAMPLES)), rows(join(folder, FAILED))];
    expect(samples).toMatchObject([{ completed: true, metadata: { rollout_id: 'run/one/0' } }]);
    expect(failed).toMatchObject([{ completed: false, metadata: { rollout_id: 'run/one/1' } }]);
    expect(samples[0]?.conversations.map(({ from }) => from)).toEqual([
      'system',
      'human',
      'gpt',
      'tool',
      'gpt',
    ]);
    expect(Object.keys(samples[0]?.metadata ?? {})).toEqual(Object.keys(failed[0]?.metadata ?? {}));
  });

  it('are not there twice, whoever saves them again', async () => {
    const folder = await temporaryFolder();
    const store = await twoRollouts();
    await save(folder, store);
    const before = readFileSync(join(folder, SAMPLES), 'utf8');
    const again = await save(folder, store);
    expect(readFileSync(join(folder, SAMPLES), 'utf8')).toBe(before);
    expect([...again.written]).toEqual([]);
  });

  it('go to one file where that is named, after what it holds', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'mine.jsonl');
    appendFileSync(path, '{"conversations": [], "metadata": null}\n');
    await save(folder, await twoRollouts(), 'mine.jsonl');
    expect(rows(path)).toHaveLength(3);
    expect(existsSync(join(folder, SAMPLES))).toBe(false);
  });

  it('begin a line of their own after one that was cut off, and that rollout is saved again', async () => {
    const folder = await temporaryFolder();
    const store = await twoRollouts();
    const path = join(folder, 'mine.jsonl');
    await save(folder, store, path);
    const whole = readFileSync(path, 'utf8');
    rmSync(path);
    appendFileSync(path, whole.slice(0, -20));
    await save(folder, store, path);
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines).toHaveLength(4);
    expect(JSON.parse(lines[2] ?? '')).toMatchObject({ metadata: { rollout_id: 'run/one/1' } });
  });

  it('that cannot be written are a failure that is kept, and nothing more is tried', async () => {
    const store = await twoRollouts();
    const saver = saverIn('/no/such/folder', store);
    saver.add(await readResults(store, 'run', await readPlan(store, 'run')));
    await saver.settle();
    expect(saver.failure).toMatchObject({ code: 'ENOENT' });
  });
});
