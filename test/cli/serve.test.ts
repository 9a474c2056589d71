import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stopServer } from '../../src/temporal/embedded-server.js';
import { after, ModelServer, runs, says } from '../support/model-server.js';
import { makeFolder } from '../support/state.js';
import { until } from '../support/until.js';
import { rowsOf } from '../trajectories/process/folder.js';
import { longrun } from './support/longrun.js';
import { startLongrun } from './support/process.js';
import { writeTask } from './support/tasks.js';

const SEED = 100;
let folder: string;
let remove: () => Promise<void>;
let server: ModelServer;
let env: NodeJS.ProcessEnv;
let rows: string;

beforeAll(async () => {
  ({ folder, remove } = await makeFolder());
  for (const word of ['apple', 'pear']) writeTask(join(folder, 'tasks'), word);
  env = { LONGRUN_HOME: join(folder, 'state'), OPENAI_API_KEY: 'sk-of-the-model' };
  rows = join(folder, 'rows');
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
  ...['serve', join(folder, 'tasks'), '--model', 'test-model', '--base-url', server.baseUrl],
  ...['--sandbox', 'memory', '--groups', '6', '--group-size', '2', '--seed', String(SEED)],
  ...['--concurrency', '4', '--shift-rollouts', '4', '--run-id', 'fed', ...more],
];

describe('longrun serve', () => {
  it('that was killed goes on, and every group is in the folder once', async () => {
    const sinks = ['--jsonl', rows, '--tinker', join(folder, 'batches')];
    const cli = startLongrun(argv(...sinks), env);
    const groups = () => rowsOf(rows, 'groups.jsonl').length;
    await until(() => existsSync(join(rows, 'groups.jsonl')) && groups() > 0, {
      what: 'the first group is written',
    });
    cli.process.kill('SIGKILL');
    expect(await cli.ended).toBe('SIGKILL');
    const answer = await longrun(argv(...sinks), env);
    expect(answer).toMatchObject({ code: 0 });
    expect(answer.stderr).toContain('Run fed is there already: carrying it on.');
    expect(answer.stderr).toContain('Nothing will reach --tinker: rollouts without sampled token ids');
    const ids = rowsOf(rows, 'groups.jsonl').map(({ group_id }) => group_id);
    expect(ids.toSorted()).toEqual(
      ['apple', 'pear'].flatMap((task) => [0, 1, 2].map((i) => `fed/${task}/${i}`)),
    );
  });

  it('is shown with its mode, its shifts and its sinks', async () => {
    const { code, stdout } = await longrun(['runs', 'show', 'fed'], env);
    expect(code).toBe(0);
    expect(stdout).toContain('run fed · serve · finished');
    expect(stdout).toContain('shift 3 · 6 of 6 groups closed');
    expect(stdout).toMatch(/jsonl: 0 queued, 6 delivered/);
    expect(stdout).toMatch(/tinker: 0 queued, 0 delivered, 6 skipped/);
    const shown = (await longrun(['runs', 'show', 'fed', '--json'], env)).json();
    expect(shown.run).toMatchObject({ mode: 'serve', status: 'finished' });
    expect(shown.serving).toMatchObject({ shifts: 3, groups: 6, closed: 6 });
    expect(shown.serving.sinks.map(({ name }: { name: string }) => name)).toEqual(['tinker', 'jsonl']);
  });

  const REFUSED: [title: string, argv: string[], ...says: string[]][] = [
    ['nobody to serve', [], 'no sink was named', '--listen', '--atropos', '--tinker', '--jsonl'],
    ['an address that is none', ['--listen', 'here'], '--listen: found "here", accepted: HOST:PORT'],
    ['a port that is none', ['--listen', ':99999'], '--listen: found port 99999'],
    ['an open door', ['--listen', '0.0.0.0:0'], '0.0.0.0 can be reached', '--token-env'],
    ['a token that is not there', ['--listen', ':0', '--token-env', 'NO_TOKEN'], 'NO_TOKEN is not set'],
    ['a token for nothing', ['--jsonl', 'x', '--token-env', 'T'], '--token-env would do nothing'],
    ['a format that is none', ['--jsonl', 'x', '--format', 'tinker,csv'], 'found "csv"', 'atropos-group'],
    ['an address without a scheme', ['--atropos', 'trainer:8000'], '--atropos: found "trainer:8000"'],
    ['a folder of another run', ['--jsonl', 'ROWS', '--run-id', 'other'], 'ROWS'],
    ['no worker for its sinks', ['--jsonl', 'x', '--detach', '--run-id', 'away'], 'no worker runs here'],
  ];

  it.each(REFUSED)('refuses %s by name', async (_, flags, ...says) => {
    const place = (text: string) => text.replace('ROWS', rows).replace(/^x$/, join(folder, 'x'));
    const { code, stderr, stdout } = await longrun(argv(...flags.map(place)), env);
    expect(code).not.toBe(0);
    expect(stdout).toBe('');
    for (const text of says) expect(stderr).toContain(place(text));
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });
});
