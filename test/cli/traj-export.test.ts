import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longrun } from './support/longrun.js';
import { writeTask } from './support/tasks.js';

const lines = (path: string): ReturnType<typeof JSON.parse>[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('longrun traj, on a finished run', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  const at = (...names: string[]): string => join(folder, ...names);
  const traj = (...argv: string[]) => longrun(['traj', ...argv], env);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'longrun-traj-cli-'));
    env = { LONGRUN_HOME: at('state') };
    for (const task of ['apple', 'pear']) writeTask(at('tasks'), task);
    const launch = ['evaluate', at('tasks'), '--sandbox', 'memory', '--model', 'scripted/turns-3'];
    const { code, stderr } = await longrun([...launch, '--samples', '2', '--run-id', 'fruit'], env);
    expect(code, stderr).toBe(0);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  it('lists its trajectories, one a line', async () => {
    const { stdout, code } = await traj('list', 'fruit');
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toMatch(/session +model +turns +tokens +reward +ended/);
    expect(stdout.match(/^fruit__(apple|pear)__[01] +scripted\/turns-3/gm)).toHaveLength(4);
    const { trajectories } = (await traj('list', 'fruit', '--json')).json();
    expect(trajectories[0]).toMatchObject({ session_id: 'fruit__apple__0', completed: true });
    expect(trajectories[0].turns).toBeGreaterThan(0);
  });

  it('says that there are none in an empty file', async () => {
    writeFileSync(at('none.jsonl'), '');
    expect((await traj('list', at('none.jsonl'))).stdout).toBe('No trajectories.\n');
    expect((await traj('list', at('none.jsonl'), '--json')).json()).toEqual({
      trajectories: [],
      broken_lines: 0,
    });
  });

  it('leaves the run out of the list where the terminal is narrow', async () => {
    const { stdout } = await longrun(['traj', 'list', 'fruit'], env, 30);
    expect(stdout).toMatch(/^…apple__0 +scripte… /m);
    expect(stdout).not.toContain('fruit__');
  });

  it('shows the conversation of one', async () => {
    const { stdout } = await traj('show', 'fruit', '--session', 'fruit__pear__1');
    expect(stdout).toMatch(/^fruit__pear__1\n/);
    expect(stdout).toContain('Write pear into /app/answer.');
    expect(stdout).toMatch(/── assistant · turn 1 ─/);
    const rollout = await traj('show', 'fruit/pear/1', '--json');
    expect(rollout.json()).toMatchObject({ session_id: 'fruit__pear__1', trajectory: { schema_version: 1 } });
    const unknown = await traj('show', 'fruit', '--session', 'fig');
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('It has: fruit__apple__0, fruit__apple__1');
  });

  it('writes each format to a folder, and to a file', async () => {
    for (const format of ['longrun', 'sharegpt', 'messages', 'atropos-v1', 'parquet', 'atif'])
      expect(await traj('export', 'fruit', '--format', format, '--output', at(format))).toMatchObject({
        code: 0,
      });
    expect(readdirSync(at('longrun'))).toEqual(['trajectories.jsonl']);
    expect(readdirSync(at('sharegpt'))).toEqual(['trajectory_samples.jsonl']);
    expect(readdirSync(at('parquet'))).toEqual(['trajectories.parquet']);
    expect(readdirSync(at('atif'))).toContain('fruit__apple__0.json');
    expect(readdirSync(at('atropos-v1'))).toContain('traj_fruit__apple__0.jsonl');
    const file = at('batch.jsonl');
    const done = await traj(
      'export',
      'fruit',
      '--format',
      'sharegpt',
      '--variant',
      'batch',
      '--output',
      file,
      '--json',
    );
    expect(done.json()).toMatchObject({
      format: 'sharegpt',
      episodes: 4,
      written: 4,
      refused: {},
      files: [file],
    });
    expect(lines(file).map((row) => row.prompt_index)).toEqual([0, 0, 1, 1]);
  });

  it('runs the commands of the guide', async () => {
    const filtered = at('longrun');
    const merged = at('training_data', 'hermes_trajectories.jsonl');
    const { code, stdout } = await traj(
      ...['export', '--input', filtered, '--format', 'atropos-v1', '--output', merged],
    );
    expect(code).toBe(0);
    expect(stdout).toContain(`Wrote ${merged}`);
    const turns = lines(merged);
    expect(new Set(turns.map((turn) => turn.session_id)).size).toBe(4);
  });

  it('reads its own formats back in, to the same rows', async () => {
    const source = at('longrun', 'trajectories.jsonl');
    for (const format of ['sharegpt', 'messages']) {
      const back = at(`${format}-back.jsonl`);
      expect((await traj('import', at(format), '--output', back)).code).toBe(0);
      expect(lines(back).map((row) => row.session_id)).toEqual(lines(source).map((row) => row.session_id));
      expect(lines(back)[0].imported).toMatchObject({ format, line: 1 });
      const again = at(`${format}-again.jsonl`);
      expect((await traj('export', back, '--format', format, '--output', again)).code).toBe(0);
      const [name = ''] = readdirSync(at(format));
      expect(readFileSync(again, 'utf8')).toBe(readFileSync(at(format, name), 'utf8'));
    }
    const agoge = at('state/store/runs/fruit/rollouts/apple/0/trajectory.json');
    expect((await traj('import', agoge, '--output', at('agoge.jsonl'))).code).toBe(0);
    expect(lines(at('agoge.jsonl'))[0]).toMatchObject({
      session_id: 'fruit_apple_0_1',
      imported: { format: 'agoge' },
    });
  });

  it('sets aside what it cannot read, and with --strict writes nothing', async () => {
    const rows = readFileSync(at('sharegpt', 'trajectory_samples.jsonl'), 'utf8').trimEnd().split('\n');
    const damaged = at('damaged.jsonl');
    writeFileSync(damaged, `${rows[0]}\n{"conversations": 7}\n${rows[1]?.slice(0, 90)}`);
    const output = at('mended.jsonl');
    const { code, stderr, stdout } = await traj('import', damaged, '--output', output);
    expect(code).toBe(0);
    expect(stderr).toContain(`${damaged}:2: conversations: found 7, accepted: a list of turns`);
    expect(stderr).toContain(`${damaged}:3: the line is not JSON`);
    expect(stdout).toContain('Read 1 trajectory, wrote 1 row.\n2 lines could not be read.');
    expect(lines(at('mended.rejected.jsonl'))).toMatchObject([
      { file: damaged, line: 2, row: { conversations: 7 } },
      { file: damaged, line: 3, raw: rows[1]?.slice(0, 90) },
    ]);
    const strict = await traj('import', damaged, '--strict', '--output', at('strict.jsonl'));
    expect(strict.code).toBe(2);
    expect(strict.stderr).toContain(`${damaged}:2: conversations: found 7`);
    expect(existsSync(at('strict.jsonl'))).toBe(false);
  });

  it('refuses an output that exists, before any work, unless it may replace it', async () => {
    const file = at('twice.jsonl');
    const write = (...flags: string[]) =>
      traj('export', 'fruit', '--format', 'messages', '--output', file, ...flags);
    expect((await write()).code).toBe(0);
    const second = await write();
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(`${file} exists already`);
    expect((await write('--force')).code).toBe(0);
  });

  it('leaves no empty file where nothing could be written, and says what can be done', async () => {
    const file = at('without-ids.jsonl');
    const { code, stdout } = await traj('export', 'fruit', '--format', 'tinker', '--output', file);
    expect(code).toBe(1);
    expect(stdout).toContain('Not written: 4 (no_sampled_ids)');
    expect(stdout).toContain('--tokenize <folder> makes ids');
    expect(existsSync(file)).toBe(false);
  });

  it('shows control characters of a conversation as visible signs', async () => {
    const hostile = at('hostile.jsonl');
    const value = '\u001b[2J\u202e evil';
    const row = {
      id: value,
      model: value,
      conversations: [
        { from: 'human', value },
        { from: 'gpt', value },
      ],
    };
    writeFileSync(hostile, JSON.stringify(row));
    for (const argv of [
      ['show', hostile],
      ['list', hostile],
      ['list', hostile, '--session\u001b'],
    ]) {
      const { stdout, stderr } = await traj(...argv);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not come through.
      expect(stdout + stderr).not.toMatch(/[\u001b\u202e]/);
    }
    expect((await traj('show', hostile)).stdout).toContain('␛[2J');
  });

  it('sets the record of a rollout aside that is damaged, and goes on with the others', async () => {
    const record = at('state/store/runs/fruit/rollouts/pear/1/trajectory.json');
    const whole = readFileSync(record);
    writeFileSync(record, '{');
    const output = at('damaged-run.jsonl');
    const { code, stderr } = await traj('export', 'fruit', '--format', 'longrun', '--output', output);
    writeFileSync(record, whole);
    expect(code).toBe(0);
    expect(stderr).toContain(`${record}:1: `);
    expect(lines(output)).toHaveLength(3);
    expect(lines(at('damaged-run.rejected.jsonl'))).toMatchObject([{ file: record }]);
  });

  it.each([
    [['export', 'fruit', '--format', 'xml'], /--format: found "xml", accepted: longrun, sharegpt, .*parquet/],
    [['export', '--format', 'longrun'], /no input was named/],
    [
      ['export', 'nowhere', '--format', 'longrun'],
      /"nowhere" is no run, rollout, folder or file[\s\S]*fruit/,
    ],
    [
      ['export', 'fruit', '--format', 'tinker', '--plain'],
      /--plain is for the format sharegpt, not for tinker/,
    ],
    [
      ['export', 'fruit', '--format', 'sharegpt', '--variant', 'x'],
      /--variant: found "x", accepted: cli, batch/,
    ],
    [['export', 'fruit', '--format', 'longrun', '--output', '-'], /--output: found "-"/],
    [
      ['export', 'fruit', '--format', 'atif', '--output', 'one.json'],
      /--output: found "one.json", accepted with --format atif: a folder/,
    ],
    [['export', 'fruit'], /--format <name>' not specified\nhint: +See: longrun traj export --help/],
    [['export', 'fruit', '--format', 'parquet', '--rows', 'xml'], /--rows: found "xml"/],
    [['import', 'fruit', '--format', 'xml'], /--format: found "xml", accepted: longrun/],
  ])('refuses %j by name', async (argv, message) => {
    const { code, stderr } = await traj(...argv);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });
});
