import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPlan, readRun } from '../../../src/store/runs.js';
import { GroupWriter } from '../../../src/trajectories/process/group-writer.js';
import { rejectedIn } from '../../../src/trajectories/process/statistics.js';
import { tempStore } from '../../store/temp-store.js';
import { temporaryFolder } from '../../support/state.js';
import { EVERYTHING, endedRun } from './finished-run.js';

test.each([
  ['emptied', ''],
  ['torn', '{"groups": {"wri'],
  ['replaced by a list', '[]'],
  ['replaced by nothing', 'null'],
])('statistics that were %s are computed again', async (_, content) => {
  const [store, folder] = [await tempStore(), await temporaryFolder()];
  await endedRun(store, 1);
  const [run, plan] = [await readRun(store, 'run'), await readPlan(store, 'run')];
  const writer = await GroupWriter.open(store, run, plan, { ...EVERYTHING, folder }, async () => []);
  await writeFile(join(folder, 'statistics.json'), content);
  expect(await writer.concluded()).toBe(false);
  await writer.conclude(plan);
  expect(await writer.concluded()).toBe(true);
});

test.each(['{"format": "sha', 'null', '"a text"'])(
  'a rejection that reads %j is named with its line',
  async (line) => {
    const folder = await temporaryFolder();
    const file = join(folder, 'rejected.jsonl');
    const whole = JSON.stringify({ format: 'atif', rule: 'reasoning', rollout_id: 'run/one/0' });
    await writeFile(file, `${whole}\n${line}\n`);
    await expect(rejectedIn(folder)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining(`${file}:2`),
      hint: expect.stringContaining('--force'),
    });
  },
);
