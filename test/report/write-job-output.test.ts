import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildRunDocument } from '../../src/records/document.js';
import { writeJobOutput } from '../../src/report/write-job-output.js';
import { openStore } from '../../src/store/index.js';
import { atifProblems } from '../formats/atif-rules.js';
import { tempStateDir } from '../store/temp-store.js';
import { recordExampleRun } from './example-run.js';

async function writtenJob() {
  const folder = await tempStateDir();
  const store = await openStore(folder);
  await recordExampleRun(store);
  const document = await buildRunDocument(store, 'r', 'finished');
  const output = join(folder, 'jobs');
  return { store, document, output, job: await writeJobOutput(store, document, output) };
}

/** Every file of the layout has an ending, no folder has one. */
const allFiles = async (folder: string): Promise<string[]> => {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => /\.[a-z]+$/.test(name)).map((name) => join(folder, name));
};
const json = async (path: string) => JSON.parse(await readFile(path, 'utf8'));

describe('--output', () => {
  it('has a folder per rollout of the run, and every trajectory follows the rules of ATIF', async () => {
    const { job } = await writtenJob();
    expect((await readdir(job)).sort()).toEqual([
      'config.json',
      'ends__0',
      'ends__1',
      'ends__2',
      'job.log',
      'keys__0',
      'lock.json',
      'lost__0',
      'result.json',
      'solved__0',
      'solved__1',
      'steps__0',
    ]);
    const trajectories = (await allFiles(job)).filter((path) => path.endsWith('trajectory.json'));
    expect(trajectories).toHaveLength(9);
    for (const path of trajectories) expect(atifProblems(await json(path))).toEqual([]);
  });

  it('shows what the agent was told and which tools it had', async () => {
    const { job } = await writtenJob();
    const trajectory = await json(join(job, 'steps__0/steps/two/agent/trajectory.json'));
    expect(trajectory.steps.map((step: { message: string }) => step.message).slice(0, 2)).toEqual([
      'You solve tasks.',
      'Do steps two',
    ]);
    expect(trajectory.agent.tool_definitions).toHaveLength(1);
  });

  it('written again is the same, byte for byte, and leaves nothing half-written beside it', async () => {
    const { store, document, output, job } = await writtenJob();
    const contents = async () =>
      Promise.all((await allFiles(job)).sort().map((path) => readFile(path, 'utf8')));
    const before = await contents();
    await writeJobOutput(store, document, output);
    expect(await contents()).toEqual(before);
    expect(await readdir(output)).toEqual(['r']);
  });

  it('never replaces a folder that is something else', async () => {
    const { store, document, output } = await writtenJob();
    const elsewhere = join(output, 'other');
    await mkdir(join(elsewhere, 'r'), { recursive: true });
    await writeFile(join(elsewhere, 'r', 'thesis.txt'), 'years of work');
    await expect(writeJobOutput(store, document, elsewhere)).rejects.toMatchObject({
      code: 'already_exists',
    });
    await writeFile(join(elsewhere, 'r', 'config.json'), '{"job_name": "another"}');
    await expect(writeJobOutput(store, document, elsewhere)).rejects.toMatchObject({
      code: 'already_exists',
    });
    expect(await readFile(join(elsewhere, 'r', 'thesis.txt'), 'utf8')).toBe('years of work');
  });

  it('into an empty folder of the run’s name is fine', async () => {
    const { store, document, output } = await writtenJob();
    await mkdir(join(output, 'fresh', 'r'), { recursive: true });
    expect(await readdir(await writeJobOutput(store, document, join(output, 'fresh')))).toContain(
      'result.json',
    );
  });
});
