import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { episodeLine } from '../../src/trajectories/longrun-format.js';
import { TestReceiver } from '../sinks/support/receiver.js';
import { assistant, episode, timeStep, user } from '../trajectories/support/episodes.js';
import { folder } from '../trajectories/support/folder.js';
import { longrun } from './support/longrun.js';
import { startLongrun } from './support/process.js';

const KEY = 'nk-4f8c2d7e6b';

/** A folder of rows, and a state folder. */
function filtered(names: readonly string[]) {
  const root = folder();
  const input = join(root, 'filtered');
  mkdirSync(input);
  const rows = names.map((name) => episode(name, [timeStep([user(name), assistant('Done.')])]));
  writeFileSync(join(input, 'trajectories.jsonl'), rows.map((row) => `${episodeLine(row)}\n`).join(''));
  return { input, env: { LONGRUN_HOME: join(root, 'state'), UPLOAD_KEY: KEY } };
}
const names = (n: number): string[] => Array.from({ length: n }, (_, i) => `row-${i}`);

/** Every file below a folder, as one text. */
const allText = (path: string): string =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');

describe('traj upload', () => {
  it('runs as the guide says it, and keeps the key out of everything', async () => {
    const receiver = await TestReceiver.start('429 0.01');
    const { input, env } = filtered(names(3));
    const { code, stdout, stderr } = await longrun(
      ['traj', 'upload', '--input', input, '--endpoint', receiver.endpoint, '--api-key', KEY],
      env,
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Read 3: 3 stored by http:\/\/127\.0\.0\.1:\d+\/trajectories, in 2 requests, /);
    expect(stderr).toContain('--api-key stays in the history of the shell');
    expect(receiver.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${KEY}`,
      `Bearer ${KEY}`,
    ]);
    expect(stdout + stderr + allText(env.LONGRUN_HOME)).not.toContain(KEY);
  });

  it('says which rows were refused, sends the others, and ends with 1', async () => {
    const receiver = await TestReceiver.start();
    const { input, env } = filtered(['row-0', 'poor-1', 'row-2']);
    const argv = [
      'traj',
      'upload',
      input,
      '--endpoint',
      receiver.endpoint,
      '--api-key-env',
      'UPLOAD_KEY',
      '--json',
    ];
    const first = await longrun(argv, env);
    expect(first.code).toBe(1);
    expect(first.json()).toMatchObject({
      rows: 3,
      stored: 2,
      parked: [{ session_id: 'poor-1', reason: '422: a row is poor' }],
    });
    expect(first.stderr).toContain('refused: poor-1: 422: a row is poor');
    const second = await longrun(argv, env);
    expect(second.code).toBe(0);
    expect(second.json()).toMatchObject({
      stored: 0,
      already: 2,
      parked: [],
      parked_earlier: 1,
      requests: 0,
    });
  });

  it('goes on where it was killed', async () => {
    const receiver = await TestReceiver.start('well', '429 50');
    const { input, env } = filtered(names(9));
    const argv = [
      'traj',
      'upload',
      input,
      '--endpoint',
      receiver.endpoint,
      '--api-key',
      KEY,
      '--batch-size',
      '3',
    ];
    const run = startLongrun(argv, env);
    await run.says('waiting 50 s: 429: slowly');
    const commandLine = readFileSync(`/proc/${run.process.pid}/cmdline`, 'utf8');
    run.process.kill('SIGKILL');
    await run.ended;
    expect(commandLine).not.toContain(KEY);
    expect(run.output.stderr).not.toContain(KEY);
    const { json } = await longrun([...argv, '--json'], env);
    expect(json()).toMatchObject({ rows: 9, stored: 6, already: 3 });
    expect(receiver.stored()).toEqual({ rows: names(9), repeats: 0 });
  });

  it('ends at Ctrl-C while it waits, with what it takes to go on', async () => {
    const receiver = await TestReceiver.start('429 50');
    const { input, env } = filtered(names(2));
    const run = startLongrun(['traj', 'upload', input, '--endpoint', receiver.endpoint], env);
    await run.says('waiting 50 s');
    run.process.kill('SIGINT');
    expect(await run.ended).toBe(130);
    expect(run.output.stderr).toContain('The same command goes on where this one stopped.');
  });

  it('goes where the settings say, and gives their key to no other endpoint', async () => {
    const [ours, other] = [await TestReceiver.start(), await TestReceiver.start()];
    const { input, env } = filtered(names(1));
    const config = join(input, '..', 'longrun.yaml');
    writeFileSync(
      config,
      `trajectory:\n  upload_endpoint: ${ours.endpoint}\n  upload_api_key: env:UPLOAD_KEY\n`,
    );
    await longrun(['traj', 'upload', input], { ...env, LONGRUN_CONFIG: config });
    await longrun(['traj', 'upload', input, '--endpoint', other.endpoint], {
      ...env,
      LONGRUN_CONFIG: config,
    });
    expect(ours.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`]);
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  it('says what it would send', async () => {
    const { input, env } = filtered(names(2));
    const { stdout } = await longrun(
      ['traj', 'upload', input, '--endpoint', 'https://training.example.org/t', '--dry-run'],
      env,
    );
    expect(stdout).toMatch(/^Read 2: 2 would be sent to https:\/\/training\.example\.org\/t in 1 request, /);
  });

  it('does not say the key where the receiver refuses it', async () => {
    const receiver = await TestReceiver.start('403');
    const { input, env } = filtered(names(1));
    const { code, stdout, stderr } = await longrun(
      ['traj', 'upload', input, '--endpoint', receiver.endpoint, '--api-key-env', 'UPLOAD_KEY', '--json'],
      env,
    );
    expect(code).toBe(1);
    expect(stdout).toContain('refuses: 403: slowly, Bearer [redacted]');
    expect(stdout + stderr).not.toContain(KEY);
  });

  it.each([
    [['--endpoint', 'http://training.example.org/'], 'is not encrypted'],
    [['--endpoint', 'training'], '--endpoint: found "training"'],
    [['--endpoint', 'https://a.org/', '--api-key-env', 'NO_SUCH_KEY'], 'NO_SUCH_KEY is not set'],
    [['--endpoint', 'https://a.org/', '--api-key', ''], '--api-key: found nothing'],
    [['--endpoint', 'https://a.org/', '--api-key', 'a', '--api-key-env', 'B'], 'both given'],
    [['--endpoint', 'https://a.org/', '--batch-size', '0'], '--batch-size: found "0"'],
    [[], '--endpoint is not given'],
  ])('refuses %s', async (flags, message) => {
    const { input, env } = filtered(names(1));
    const { code, stderr } = await longrun(['traj', 'upload', input, ...flags], env);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
