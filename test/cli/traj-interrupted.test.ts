import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../support/until.js';
import { folder } from '../trajectories/support/folder.js';
import { startLongrun } from './support/process.js';

const ROWS = 150_000;

it.each([
  ['import', []],
  ['export', ['--format', 'longrun']],
  ['filter', []],
])('Ctrl-C ends %s, which leaves nothing behind', async (command, flags) => {
  const path = folder();
  const input = join(path, 'rows.jsonl');
  const turns = ['human', 'gpt'].map((from) => ({ from, value: 'one more line' }));
  writeFileSync(input, `${JSON.stringify({ conversations: turns })}\n`.repeat(ROWS));
  const output = join(path, 'out.jsonl');
  const run = startLongrun(['traj', command, input, ...flags, '--output', output], {});
  const begun = (): boolean =>
    readdirSync(path).some((name) => name.endsWith('.partial') && statSync(join(path, name)).size > 0);
  await until(begun, { what: 'the output is begun' });
  run.process.kill('SIGINT');
  expect(await run.ended).toBe(130);
  expect(run.output.stderr).toContain('interrupted: nothing was written');
  expect(existsSync(output)).toBe(false);
  expect(readdirSync(path)).toEqual(['rows.jsonl']);
});
