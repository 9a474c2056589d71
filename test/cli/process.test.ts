import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockOutput } from '../../src/cli/output-lock.js';
import { stopServer } from '../../src/temporal/embedded-server.js';
import { after, ModelServer, runs, says } from '../support/model-server.js';
import { makeFolder } from '../support/state.js';
import { until } from '../support/until.js';
import { contentOf, rowsOf } from '../trajectories/process/folder.js';
import { type CliAnswer, longrun } from './support/longrun.js';
import { startLongrun } from './support/process.js';
import { writeTask } from './support/tasks.js';

const SEED = 100;
let folder: string;
let remove: () => Promise<void>;
let server: ModelServer;
let env: NodeJS.ProcessEnv;
let output: string;

beforeAll(async () => {
  ({ folder, remove } = await makeFolder());
  for (const word of ['apple', 'pear']) writeTask(join(folder, 'tasks'), word);
  env = { LONGRUN_HOME: join(folder, 'state'), OPENAI_API_KEY: 'sk-of-the-model' };
  output = join(folder, 'data');
  // Even samples are right about apples, nobody is about pears.
  server = await ModelServer.start(({ turn, seed }) => {
    if (turn > 0) return after(150, says('Done.'));
    return runs(`echo ${(seed ?? SEED) % 2 === 0 ? 'apple' : 'plum'} > /app/answer`);
  });
});
afterAll(async () => {
  await stopServer(join(folder, 'state'));
  await server.close();
  await remove();
});

const argv = (...more: string[]): string[] => [
  ...['process', join(folder, 'tasks'), '--model', 'test-model', '--base-url', server.baseUrl],
  ...['--sandbox', 'memory', '--groups', '8', '--group-size', '2', '--seed', String(SEED)],
  ...['--concurrency', '4', '--run-id', 'data-run', ...more],
];
const OWN = ['--format', 'sharegpt,longrun', '--keep-no-reasoning'];

describe('longrun process', () => {
  let answer: CliAnswer;

  it('that was killed goes on: every group once, every rollout once', async () => {
    const cli = startLongrun(argv(...OWN, '--output', output), env);
    const groups = () => rowsOf(output, 'groups.jsonl').length;
    await until(() => existsSync(join(output, 'groups.jsonl')) && groups() > 0, {
      what: 'the first group is written',
    });
    cli.process.kill('SIGKILL');
    expect(await cli.ended).toBe('SIGKILL');
    expect(groups()).toBeLessThan(8);
    answer = await longrun(argv(...OWN, '--output', output), env);
    expect(answer).toMatchObject({ code: 0 });
    expect(answer.stderr).toContain(`8 of 8 groups are in ${output}`);
    const ids = rowsOf(output, 'groups.jsonl').map(({ group_id }) => group_id);
    expect(ids.toSorted()).toEqual(
      ['apple', 'pear'].flatMap((task) => [0, 1, 2, 3].map((i) => `data-run/${task}/${i}`)),
    );
    const rollouts = rowsOf(output, 'sharegpt.jsonl').map(
      ({ metadata }) => (metadata as { rollout_id: string }).rollout_id,
    );
    expect(new Set(rollouts).size).toBe(16);
    expect(rollouts).toHaveLength(16);
    expect(rowsOf(output, 'longrun.jsonl')).toHaveLength(16);
  });

  it('flags groups without variance, and says of the others who was better than its siblings', () => {
    for (const { task_id, zero_variance, members } of rowsOf(output, 'groups.jsonl')) {
      expect(zero_variance).toBe(task_id === 'pear');
      const advantages = (members as { advantages: number[] }[]).map((member) => member.advantages[0]);
      expect(advantages).toEqual(task_id === 'pear' ? [0, 0] : [1, -1]);
    }
  });

  it('has in its folder what it was made of, and statistics of its rows', () => {
    const read = (name: string) => JSON.parse(readFileSync(join(output, name), 'utf8'));
    const digest = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(read('manifest.json')).toMatchObject({
      run_id: 'data-run',
      tasks: [
        { task_id: 'apple', groups: 4, digest },
        { task_id: 'pear', groups: 4, digest },
      ],
    });
    expect(read('statistics.json')).toMatchObject({
      groups: { planned: 8, written: 8, valid: 8, zero_variance: 4 },
      rows: { 'groups.jsonl': 8, 'sharegpt.jsonl': 16 },
    });
  });

  it('writes another folder of the same run without sampling anything', async () => {
    const calls = server.seen.length;
    const trainer = join(folder, 'trainer');
    const again = await longrun(argv('--format', 'tinker', '--output', trainer), env);
    expect(again.code).toBe(0);
    expect(server.seen).toHaveLength(calls);
    expect(again.stderr).toContain('tinker: 8 by no_sampled_ids');
    expect(again.stderr).toContain('tinker: 4 by zero_variance');
  });

  it('changes nothing when all is there, and refuses the folder of another run before anything is asked', async () => {
    const before = contentOf(output);
    const calls = server.seen.length;
    expect(await longrun(argv(...OWN, '--output', output), env)).toMatchObject({ code: 0 });
    expect(contentOf(output)).toEqual(before);
    const other = argv(...OWN, '--output', output).map((word) => (word === 'data-run' ? 'other' : word));
    const refused = await longrun(other, env);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('is the output of run data-run, and this is run other');
    expect(server.seen).toHaveLength(calls);
  });

  it('leaves a folder alone that another process writes to', async () => {
    const before = contentOf(output);
    const lock = lockOutput(join(folder, 'state'), output);
    const second = await longrun(argv(...OWN, '--output', output), env);
    lock.release();
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`process ${process.pid} of another terminal writes to ${output}`);
    expect(contentOf(output)).toEqual(before);
  });

  it.each([
    [['--format', 'sharegpt,shargpt'], '--format: found "shargpt"'],
    [['--filter', 'min-rewar=1'], '--filter: found "min-rewar=1"'],
    [['--filter', 'min-turns=none'], '--filter: found "min-turns=none"'],
    [['--batch-size', '5'], '--batch-size would do nothing'],
    [['--prompts', 'list.jsonl'], '--prompts takes the place of an environment'],
    [['--detach', '--output', 'there'], '--output would do nothing under --detach'],
    [['--group-policy', 'min-valid'], 'min-valid needs to know'],
  ])('refuses %j', async (words, message) => {
    const refused = await longrun([...argv(...words), '--json'], env);
    expect(refused.code).toBe(2);
    expect(refused.json().error.message).toContain(message);
    expect(refused.json().error.hint).toBeTruthy();
  });
});
