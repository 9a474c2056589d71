import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { messagesOf } from '../../../src/formats/messages-of.js';
import { pythonJson } from '../../../src/formats/python-json.js';
import { episodeLine } from '../../../src/trajectories/longrun-format.js';
import { rowFormat } from '../../../src/trajectories/row-formats.js';
import { assistant, context, episode, timeStep, user } from '../support/episodes.js';
import { all, folder, inputsOf } from '../support/folder.js';

const line = (sessionId: string): string =>
  episodeLine(episode(sessionId, [timeStep([user('hi'), assistant('hello')])]));
const ids = (episodes: { sessionId: string }[]): string[] => episodes.map(({ sessionId }) => sessionId);

describe('inputs', () => {
  it('reads a file of episodes, from the start with every pass', async () => {
    const file = join(folder(), 'rows.jsonl');
    writeFileSync(file, `${line('a')}\n${line('b')}\n`);
    const inputs = await inputsOf([file]);
    expect(ids(await all(inputs))).toEqual(['a', 'b']);
    expect(ids(await all(inputs))).toEqual(['a', 'b']);
    expect((await all(inputs))[0]).toEqual(episode('a', [timeStep([user('hi'), assistant('hello')])]));
  });

  it('tells file and line of what it cannot read, once, and goes on', async () => {
    const file = join(folder(), 'rows.jsonl');
    const torn = line('c').slice(0, 40);
    writeFileSync(file, `${line('a')}\n{"session_id": 7}\n[1]\n${line('b')}\n${torn}`);
    const inputs = await inputsOf([file]);
    expect(ids(await all(inputs))).toEqual(['a', 'b']);
    await all(inputs);
    expect(inputs.rejected.map(({ line }) => line)).toEqual([2, 3, 5]);
    const reasons = inputs.rejected.map(({ reason }) => reason);
    expect(reasons[0]).toMatch(/^the row is not valid: /);
    expect(reasons[1]).toBe('the line is not a JSON object');
    expect(reasons[2]).toMatch(/^the line is not JSON: /);
    expect(inputs.rejected[0]?.row).toEqual({ session_id: 7 });
    expect(inputs.rejected[2]?.raw).toBe(torn);
  });

  it('sets a row aside that would overflow the stack of whoever writes it', async () => {
    const file = join(folder(), 'rows.jsonl');
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const row = line('a').replace(
      '"available_tool_schemas":null',
      `"available_tool_schemas":[{"deep":${deep}}]`,
    );
    writeFileSync(file, `${row}\n${line('b')}\n`);
    const inputs = await inputsOf([file]);
    expect(ids(await all(inputs))).toEqual(['b']);
    expect(inputs.rejected).toMatchObject([
      { line: 1, reason: 'the row is nested more than 500 levels deep' },
    ]);
  });

  it('with --strict ends at the first such line', async () => {
    const file = join(folder(), 'rows.jsonl');
    writeFileSync(file, `${line('a')}\nnot json\n`);
    const inputs = await inputsOf([file], { strict: true });
    await expect(all(inputs)).rejects.toThrow(`${file}:2: the line is not JSON`);
  });

  it('takes all files of rows at the top of a folder, but what commands set aside there', async () => {
    const path = folder();
    for (const name of ['traj_2.jsonl', 'traj_1.jsonl', 'more.jsonl'])
      writeFileSync(join(path, name), line(name.replace('.jsonl', '')));
    for (const name of ['x.rejected.jsonl', 'rejected.jsonl', 'failed_trajectories.jsonl', 'x.traj.jsonl'])
      writeFileSync(join(path, name), line('left-out'));
    writeFileSync(join(path, 'packed.jsonl.gz'), gzipSync(line('packed')));
    mkdirSync(join(path, 'below'));
    writeFileSync(join(path, 'below', 'rows.jsonl'), line('below'));
    expect(ids(await all(await inputsOf([path])))).toEqual(['more', 'packed', 'traj_1', 'traj_2']);
    const named = join(path, 'failed_trajectories.jsonl');
    expect(ids(await all(await inputsOf([named])))).toEqual(['left-out']);
  });

  it('sets a file of a folder aside that holds something else, and refuses it when it is named', async () => {
    const path = folder();
    writeFileSync(join(path, 'a.jsonl'), line('a'));
    writeFileSync(join(path, 'notes.jsonl'), '{"note": 1, "by": "me"}\n');
    const inputs = await inputsOf([path]);
    expect(ids(await all(inputs))).toEqual(['a']);
    expect(inputs.rejected).toMatchObject([{ file: join(path, 'notes.jsonl'), line: 1 }]);
    await expect(all(await inputsOf([join(path, 'notes.jsonl')]))).rejects.toThrow(
      /notes.jsonl:1 is of no known format: found the keys note, by/,
    );
  });

  it('of a folder without rows takes the documents of a job below it, else those at its top', async () => {
    const { rows } = rowFormat('atif').rows(
      [episode('one', [timeStep([user('hi'), assistant('hello')])])],
      context(),
    );
    const document = JSON.stringify(rows[0]?.value, null, 2);
    const [job, flat] = [folder(), folder()];
    mkdirSync(join(job, 'trial', 'agent'), { recursive: true });
    writeFileSync(join(job, 'result.json'), '{"n": 1}');
    writeFileSync(join(job, 'trial', 'agent', 'trajectory.json'), document);
    writeFileSync(join(flat, 'one.json'), document);
    writeFileSync(join(flat, 'manifest_r.json'), '{"format_version": "atropos-v1"}');
    for (const path of [job, flat]) {
      const inputs = await inputsOf([path]);
      expect(ids(await all(inputs))).toEqual(['one']);
      expect(inputs.rejected).toEqual([]);
    }
  });

  it('reads a .json file as the document, the list or the lines that it holds', async () => {
    const path = folder();
    const indented = JSON.stringify(JSON.parse(line('a')), null, 2);
    writeFileSync(join(path, 'document.json'), indented);
    writeFileSync(join(path, 'list.json'), `[${line('a')},\n${line('b')}]`);
    writeFileSync(join(path, 'lines.json'), `${line('a')}\n${line('b')}\n`);
    const found = async (name: string): Promise<string[]> =>
      ids(await all(await inputsOf([join(path, name)])));
    expect(await found('document.json')).toEqual(['a']);
    expect(await found('list.json')).toEqual(['a', 'b']);
    expect(await found('lines.json')).toEqual(['a', 'b']);
    writeFileSync(join(path, 'rows.parquet'), 'PAR1');
    await expect(found('rows.parquet')).rejects.toThrow('is a Parquet file, which is written but not read');
  });

  it('refuses a pipe, which a second pass would find empty', async () => {
    const pipe = join(folder(), 'rows.fifo');
    execFileSync('mkfifo', [pipe]);
    await expect(inputsOf([pipe])).rejects.toThrow('is a pipe or a device, which can be read only once');
  });

  it('reads a file once that is named beside its folder', async () => {
    const path = folder();
    writeFileSync(join(path, 'a.jsonl'), line('a'));
    expect(ids(await all(await inputsOf([join(path, 'a.jsonl'), path, path])))).toEqual(['a']);
  });

  it('reads every format, told by the first row, and as another one when asked to', async () => {
    const one = episode('one', [timeStep([user('hi'), assistant('hello')])]);
    for (const format of ['longrun', 'sharegpt', 'messages'] as const) {
      const file = join(folder(), 'rows.jsonl');
      const { rows } = rowFormat(format).rows([one], context());
      writeFileSync(file, pythonJson(rows[0]?.value));
      expect(messagesOf((await all(await inputsOf([file])))[0] ?? one)).toEqual(messagesOf(one));
      const wrong = await inputsOf([file], { format: 'agoge' });
      expect(await all(wrong)).toEqual([]);
      expect(wrong.rejected).toMatchObject([{ line: 1, reason: expect.stringContaining('the trajectory') }]);
    }
  });

  it('names the newest runs and what is accepted when a name is nothing', async () => {
    await expect(inputsOf(['nowhere'])).rejects.toMatchObject({
      message: '"nowhere" is no run, rollout, folder or file',
      hint: expect.stringContaining('Accepted: the id of a run'),
      exitCode: 2,
    });
    await expect(inputsOf([folder()])).rejects.toThrow('has no trajectories');
  });

  it('says of a torn .gz which file it is', async () => {
    const file = join(folder(), 'rows.jsonl.gz');
    writeFileSync(file, gzipSync(line('a')).subarray(0, 60));
    await expect(all(await inputsOf([file]))).rejects.toThrow(`${file} cannot be read`);
  });
});
