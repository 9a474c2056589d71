import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openOutput } from '../../../src/trajectories/files/output.js';
import { folder } from '../support/folder.js';

describe('an output', () => {
  it('appears whole when it is committed, and nothing before', async () => {
    const path = folder();
    const output = await openOutput(join(path, 'rows.jsonl'), { force: false });
    await output.write('{"a":1}');
    await output.beside('failed.jsonl').write('{"b":2}');
    await output.beside('.traj.jsonl').write('{"c":3}');
    await output.reject({ file: 'x.jsonl', line: 7, reason: 'torn', raw: '{"' });
    expect(readdirSync(path).filter((name) => !name.startsWith('.'))).toEqual([]);
    await output.commit();
    expect(readdirSync(path).sort()).toEqual([
      'failed.jsonl',
      'rows.jsonl',
      'rows.rejected.jsonl',
      'rows.traj.jsonl',
    ]);
    expect(readFileSync(join(path, 'rows.jsonl'), 'utf8')).toBe('{"a":1}\n');
    expect(JSON.parse(readFileSync(join(path, 'rows.rejected.jsonl'), 'utf8'))).toEqual({
      file: 'x.jsonl',
      line: 7,
      reason: 'torn',
      raw: '{"',
    });
  });

  it('leaves nothing behind when it is abandoned, and overwrites what a crash left', async () => {
    const path = folder();
    writeFileSync(join(path, '.rows.jsonl.partial'), 'half a row of a process that died');
    const output = await openOutput(join(path, 'rows.jsonl'), { force: false });
    await output.write('{"a":1}');
    await output.commit();
    expect(readFileSync(join(path, 'rows.jsonl'), 'utf8')).toBe('{"a":1}\n');
    const other = await openOutput(join(path, 'other.jsonl'), { force: false });
    await other.write('x'.repeat(1_000_000));
    await other.abandon();
    expect(readdirSync(path)).toEqual(['rows.jsonl']);
  });

  it('is a folder when the path ends in a slash, is one, or has no ending', async () => {
    const path = folder();
    const at = async (name: string): Promise<string> =>
      (await openOutput(name, { force: false, name: 'samples.jsonl' })).path;
    expect(await at(`${path}/new.d/`)).toBe(join(path, 'new.d/samples.jsonl'));
    expect(await at(path)).toBe(join(path, 'samples.jsonl'));
    expect(await at(join(path, 'bare'))).toBe(join(path, 'bare/samples.jsonl'));
    expect(await at(join(path, 'rows.json'))).toBe(join(path, 'rows.json'));
    await expect(at('-')).rejects.toThrow('found "-", accepted: a file or a folder');
  });

  it('refuses what exists before any work, unless it may replace it and what belonged to it', async () => {
    const path = folder();
    const file = join(path, 'rows.jsonl');
    const siblings = ['failed.jsonl'];
    writeFileSync(join(path, 'failed.jsonl'), 'old');
    await expect(openOutput(file, { force: false, siblings })).rejects.toMatchObject({
      code: 'already_exists',
      message: `${join(path, 'failed.jsonl')} exists already`,
      exitCode: 2,
    });
    writeFileSync(join(path, 'rows.rejected.jsonl'), 'old');
    const output = await openOutput(file, { force: true, siblings });
    await output.write('new');
    await output.commit();
    expect(readdirSync(path)).toEqual(['rows.jsonl']);
  });

  it('does not overwrite a file that came while it worked', async () => {
    const path = folder();
    const output = await openOutput(join(path, 'rows.jsonl'), { force: false });
    await output.write('mine');
    writeFileSync(join(path, 'rows.jsonl'), 'theirs');
    await expect(output.commit()).rejects.toMatchObject({ code: 'already_exists' });
    expect(readFileSync(join(path, 'rows.jsonl'), 'utf8')).toBe('theirs');
    expect(readdirSync(path)).toEqual(['rows.jsonl']);
  });

  it('writes to more files than a process may have open, in pieces', async () => {
    const path = folder();
    const output = await openOutput(path, { force: false, folder: true });
    const names = Array.from({ length: 60 }, (_, i) => `traj_${i}.jsonl`);
    for (const part of ['one', 'two']) for (const name of names) await output.beside(name).write(part);
    await output.commit();
    expect(readdirSync(path)).toHaveLength(60);
    expect(readFileSync(join(path, 'traj_59.jsonl'), 'utf8')).toBe('one\ntwo\n');
    expect(existsSync(join(path, 'trajectories.jsonl'))).toBe(false);
  });

  it('packs a .gz', async () => {
    const file = join(folder(), 'rows.jsonl.gz');
    const output = await openOutput(file, { force: false });
    for (let i = 0; i < 3; i++) await output.write('z'.repeat(200_000));
    await output.commit();
    expect(gunzipSync(readFileSync(file)).length).toBe(600_003);
  });

  it('without a row is an empty file', async () => {
    const file = join(folder(), 'rows.jsonl');
    await (await openOutput(file, { force: false })).commit();
    expect(readFileSync(file, 'utf8')).toBe('');
  });
});
