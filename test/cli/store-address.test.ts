import { afterEach, beforeEach, expect, it } from 'vitest';
import { borrowEnv } from '../support/s3-server.js';
import { temporaryStateDir } from '../support/state.js';
import { longrun } from './support/longrun.js';

let giveBack: () => void;
beforeEach(() => {
  giveBack = borrowEnv({ AWS_ACCESS_KEY_ID: 'test-access', AWS_SECRET_ACCESS_KEY: 'test-secret-key' });
});
afterEach(() => giveBack());

const COMMANDS = [
  ['runs', 'list'],
  ['runs', 'show', 'some-run'],
  ['runs', 'resume', 'some-run'],
  ['rollouts', 'show', 'some-run/task/0'],
  ['worker'],
  ['evaluate', 'tblite', '--model', 'scripted/demo'],
];
/** Nobody listens there. */
const AWAY = 's3://bucket/lab?endpoint=http://127.0.0.1:9';

it.each(COMMANDS)('%s %s refuses a store that cannot be one, before anything is done', async (...argv) => {
  const { code, stderr } = await longrun([...argv, '--store', 'https://s3.example/bucket']);
  expect(code).toBe(2);
  expect(stderr).toContain('--store');
  expect(stderr).toContain('s3://bucket/prefix');
});

it('an address that holds credentials is refused and not repeated', async () => {
  const { code, stderr } = await longrun(['runs', 'list'], { LONGRUN_STORE: 's3://me:very-secret@bucket' });
  expect(code).toBe(2);
  expect(stderr).not.toContain('very-secret');
  expect(stderr).toContain('AWS_');
});

it.each([
  ['--store', ['--store', AWAY], {}],
  ['LONGRUN_STORE', [], { LONGRUN_STORE: AWAY }],
])('commands look where %s says, and say that nobody answers there', async (_name, flags, env) => {
  const stateDir = await temporaryStateDir();
  const here = { ...env, LONGRUN_HOME: stateDir };
  for (const argv of [
    ['runs', 'list'],
    ['runs', 'show', 'some-run'],
    ['rollouts', 'show', 'some-run/task/0'],
  ]) {
    const { code, stderr } = await longrun([...argv, ...flags], { ...here });
    expect(code, argv.join(' ')).toBe(1);
    expect(stderr).toContain('s3://bucket at http://127.0.0.1:9');
    expect(stderr).not.toContain('test-secret-key');
  }
});
