import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestReceiver } from '../sinks/support/receiver.js';
import { ModelServer, runs, says } from '../support/model-server.js';
import { makeFolder } from '../support/state.js';
import { type CliAnswer, longrun } from './support/longrun.js';
import { writeTask } from './support/tasks.js';

const KEY = 'nk-literal-upload-key-4be1';
const SETTINGS = `agent: { name: tool-calling, save_trajectories: true }
sandbox: memory
trajectory:
  upload_api_key: ${KEY}
`;
const home = process.cwd();
let folder: string;
let remove: () => Promise<void>;
let server: ModelServer;
let answer: CliAnswer;

/** A person's own folder, with their settings, in which a run is made. */
beforeAll(async () => {
  ({ folder, remove } = await makeFolder());
  for (const word of ['apple', 'pear']) writeTask(join(folder, 'tasks'), word);
  writeFileSync(join(folder, 'longrun.yaml'), SETTINGS);
  // The agent solves the apple; of the pear it never has enough.
  server = await ModelServer.start(({ turn, messages }) => {
    const apple = messages.some(({ content }) => content?.includes('Write apple'));
    if (turn === 0) return runs('mkdir -p /app; echo apple > /app/answer');
    return apple ? says('Done.') : runs('cat /app/answer');
  });
  process.chdir(folder);
  answer = await evaluate('--log-level', 'trace');
});
afterAll(async () => {
  process.chdir(home);
  await server.close();
  await remove();
});

const evaluate = (...argv: string[]) => evaluateWith({}, argv);
const evaluateWith = (env: NodeJS.ProcessEnv, argv: readonly string[]) =>
  longrun(
    [
      'evaluate',
      'tasks',
      '--model',
      'test-model',
      '--base-url',
      server.baseUrl,
      '--max-turns',
      '3',
      '--run-id',
      'saved',
      ...argv,
    ],
    { LONGRUN_HOME: join(folder, 'state'), OPENAI_API_KEY: 'sk-of-the-model', ...env },
  );
const rows = (name: string) =>
  readFileSync(join(folder, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

it('conversations of a run are saved in the current folder, those that failed apart', () => {
  expect(answer.code).toBe(0);
  expect(rows('trajectory_samples.jsonl')).toMatchObject([
    { completed: true, metadata: { rollout_id: 'saved/apple/0', source: 'environment' }, reward: 1 },
  ]);
  expect(rows('failed_trajectories.jsonl')).toMatchObject([
    { completed: false, metadata: { rollout_id: 'saved/pear/0' }, reward: 0 },
  ]);
  expect(answer.stderr).toContain(
    `1 trajectory was appended to ${join(process.cwd(), 'trajectory_samples.jsonl')}`,
  );
});

it('the run that is asked for again has its rows once', async () => {
  const again = await evaluate();
  expect(again.stderr).toContain('Run saved is there already');
  expect(again.stderr).not.toContain('appended');
  expect(rows('trajectory_samples.jsonl')).toHaveLength(1);
  expect((await evaluate('--trajectory-file', 'all.jsonl')).code).toBe(0);
  expect(rows('all.jsonl')).toHaveLength(2);
});

it('under --detach says that it does nothing', async () => {
  const { stderr } = await evaluate('--run-id', 'detached', '--detach');
  expect(stderr).toContain('Under --detach --save-trajectories does nothing');
});

it('the recorder writes the turns to the state folder, without being asked', () => {
  const recorded = readdirSync(join(folder, 'state', 'trajectories')).sort();
  expect(recorded).toEqual([
    'manifest_saved.json',
    'traj_saved__apple__0.jsonl',
    'traj_saved__pear__0.jsonl',
  ]);
});

it('a key in the settings is warned of, and is in no file and no line', () => {
  expect(answer.stderr).toContain('trajectory.upload_api_key holds the key itself');
  const told = [answer.stdout, answer.stderr];
  const files = readdirSync(join(folder, 'state'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'));
  expect([...told, ...files].filter((text) => text.includes(KEY))).toEqual([]);
  // The search looks where it should.
  expect(files.some((text) => text.includes('"min_turn_count": 2'))).toBe(true);
  expect(existsSync(join(folder, 'state', 'store', 'runs', 'saved', 'run.json'))).toBe(true);
});

it('what was recorded is uploaded when the run has ended, where that is asked for', async () => {
  const receiver = await TestReceiver.start();
  const trajectory = {
    auto_upload: true,
    upload_endpoint: receiver.endpoint,
    upload_api_key: 'env:TRAINING_KEY',
    record_reasoning: false,
  };
  const env = { LONGRUN_TRAJECTORY: JSON.stringify(trajectory), TRAINING_KEY: 'key-of-the-upload-77' };
  const { stderr, code } = await evaluateWith(env, ['--run-id', 'uploaded', '--task', 'apple']);
  expect(stderr).toContain('1 of 1 trajectories were uploaded.');
  expect(code).toBe(0);
  expect(receiver.stored()).toEqual({ rows: ['uploaded__apple__0'], repeats: 0 });
  expect(stderr).not.toContain('key-of-the-upload-77');

  const missing = await evaluateWith({ ...env, TRAINING_KEY: '' }, ['--run-id', 'keyless']);
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain(
    'trajectory.upload_api_key: the environment variable TRAINING_KEY is not set',
  );
});
