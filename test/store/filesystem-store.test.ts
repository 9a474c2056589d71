import { readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LongrunError } from '../../src/core/errors.js';
import { toOpenError, toStoreError } from '../../src/store/filesystem/store-error.js';
import { checkFreeSpace, openStore } from '../../src/store/index.js';
import { bytes, tempStateDir, tempStore, text } from './temp-store.js';

describe('values', () => {
  it('come back as they were put, binary ones too', async () => {
    const store = await tempStore();
    const binary = Uint8Array.from({ length: 256 }, (_, i) => i);
    await store.put('runs/a/blob', binary);
    expect(Uint8Array.from((await store.get('runs/a/blob')) as Uint8Array)).toEqual(binary);
  });

  it('are null where nothing was put, and where the key is a folder or lies below a value', async () => {
    const store = await tempStore();
    await store.put('runs/a/run.json', bytes('{}'));
    for (const key of ['nothing', 'runs/a', 'runs/a/run.json/below']) expect(await store.get(key)).toBeNull();
  });

  it('are replaced by put and kept by putIfAbsent', async () => {
    const store = await tempStore();
    expect(await store.putIfAbsent('k', bytes('first'))).toBe(true);
    expect(await store.putIfAbsent('k', bytes('second'))).toBe(false);
    expect(text(await store.get('k'))).toBe('first');
    await store.put('k', bytes('third'));
    expect(text(await store.get('k'))).toBe('third');
  });

  it('outlive the process that put them', async () => {
    const stateDir = await tempStateDir();
    await (await openStore(stateDir)).put('a/b', bytes('x'));
    expect(text(await (await openStore(stateDir)).get('a/b'))).toBe('x');
  });
});

describe('many writers of one key', () => {
  it('have one winner, and everybody reads its value whole', async () => {
    const store = await tempStore();
    const values = Array.from({ length: 40 }, (_, i) => String(i).padStart(3, '0').repeat(20_000));
    const won = await Promise.all(values.map((value) => store.putIfAbsent('deep/er/key', bytes(value))));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(text(await store.get('deep/er/key'))).toBe(values[won.indexOf(true)]);
  });

  it('never show a reader half of a value', async () => {
    const store = await tempStore();
    const versions = ['a', 'b', 'c'].map((letter) => letter.repeat(300_000));
    await store.put('k', bytes(versions[0] as string));
    let writing = true;
    const writer = (async () => {
      for (let i = 0; i < 30; i++) await store.put('k', bytes(versions[i % 3] as string));
      writing = false;
    })();
    while (writing) expect(versions).toContain(text(await store.get('k')));
    await writer;
  });
});

describe('children', () => {
  it('are the direct ones, sorted, files and folders alike', async () => {
    const store = await tempStore();
    for (const key of ['p/b/deep', 'p/a.json', 'p/c/x/y', 'q']) await store.put(key, bytes(''));
    expect(await store.children('p')).toEqual(['a.json', 'b', 'c']);
    expect(await store.children('missing')).toEqual([]);
    expect(await store.children('q')).toEqual([]);
  });

  it('never hold temporary files, not even under many writes', async () => {
    const store = await tempStore();
    const writes = Promise.all(
      Array.from({ length: 50 }, (_, i) => store.put(`p/${i}`, bytes('x'.repeat(9_000)))),
    );
    for (let i = 0; i < 50; i++) {
      for (const name of await store.children('p')) expect(name).toMatch(/^\d+$/);
    }
    await writes;
  });
});

describe('remove', () => {
  it('takes a key, or everything under a prefix that ends in a slash, and nothing else', async () => {
    const store = await tempStore();
    for (const key of ['r/a/1', 'r/a/2', 'r/ab', 'r/b']) await store.put(key, bytes('x'));
    await store.remove('r/b');
    await store.remove('r/a/');
    expect(await store.children('r')).toEqual(['ab']);
  });

  it('of what is not there does nothing', async () => {
    const store = await tempStore();
    await store.remove('none');
    await store.remove('none/');
  });
});

describe('keys', () => {
  it.each([
    '',
    '/etc/passwd',
    '../x',
    'a/../b',
    'a//b',
    'a/',
    './a',
    'a/.hidden',
    '.tmp/x',
    'a\0b',
    'a\\b',
    'x'.repeat(201),
  ])('that could leave the store are refused: %j', async (key) => {
    const store = await tempStore();
    await expect(store.get(key)).rejects.toMatchObject({ code: 'bad_input' });
    await expect(store.put(key, bytes(''))).rejects.toMatchObject({ code: 'bad_input' });
    await expect(store.putIfAbsent(key, bytes(''))).rejects.toMatchObject({ code: 'bad_input' });
  });
});

describe('the folder', () => {
  it('is private to its user', async () => {
    const stateDir = join(await tempStateDir(), 'state');
    const store = await openStore(stateDir);
    await store.put('a/b', bytes('x'));
    for (const path of [stateDir, join(stateDir, 'store'), store.locate('a')]) {
      expect((await stat(path)).mode & 0o777).toBe(0o700);
    }
    expect((await stat(store.locate('a/b'))).mode & 0o777).toBe(0o600);
  });

  it('holds no temporary files after writes, and loses old ones of dead writers when it is opened', async () => {
    const stateDir = await tempStateDir();
    const store = await openStore(stateDir);
    await store.put('k', bytes('x'));
    await store.putIfAbsent('k', bytes('y'));
    const temp = join(stateDir, 'store', '.tmp');
    expect(await readdir(temp)).toEqual([]);

    await writeFile(join(temp, 'old'), 'half');
    await utimes(join(temp, 'old'), 0, 0);
    await writeFile(join(temp, 'new'), 'half');
    await openStore(stateDir);
    expect(await readdir(temp)).toEqual(['new']);
  });

  it('answers how much space is left, and whether that is enough', async () => {
    const stateDir = await tempStateDir();
    expect(await checkFreeSpace(stateDir, 1)).toMatchObject({ enough: true, watermarkBytes: 1 });
    expect((await checkFreeSpace(stateDir, Number.MAX_SAFE_INTEGER)).enough).toBe(false);
    await expect(checkFreeSpace(join(stateDir, 'none'))).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});

describe('failures', () => {
  it.each([
    ['ENOSPC', 'store_full', true],
    ['EDQUOT', 'store_full', true],
    ['EIO', 'store_unavailable', true],
    ['EACCES', 'store_unavailable', true],
    ['EROFS', 'store_unavailable', true],
    ['ENOTDIR', 'internal', false],
  ])('%s is %s', (errno, code, retryable) => {
    const error = toStoreError(Object.assign(new Error(errno), { code: errno }), 'k', '/p');
    expect(error).toMatchObject({ code, retryable });
  });

  it('a key below a value is refused, and the value stays', async () => {
    const store = await tempStore();
    await store.put('a', bytes('x'));
    await expect(store.put('a/b', bytes('y'))).rejects.toSatisfy((error) =>
      LongrunError.is(error, 'internal'),
    );
    expect(text(await store.get('a'))).toBe('x');
  });

  it.each(['ENOTDIR', 'EEXIST', 'EACCES', 'EROFS'])(
    'a state folder that cannot be written (%s) is bad input',
    (errno) => {
      const error = toOpenError(Object.assign(new Error(errno), { code: errno }), '/p');
      expect(error).toMatchObject({ code: 'bad_input', exitCode: 2, retryable: false });
      expect(error.message).toContain('/p');
    },
  );

  it('a state folder that is a file, or lies below one, is named with what is accepted', async () => {
    const file = join(await tempStateDir(), 'file');
    await writeFile(file, '');
    for (const stateDir of [file, join(file, 'below')]) {
      const error = await openStore(stateDir).catch((cause: unknown) => cause);
      expect(error).toMatchObject({ code: 'bad_input', exitCode: 2 });
      expect((error as LongrunError).message).toContain(stateDir);
      expect((error as LongrunError).hint).toContain('a folder that can be written');
    }
  });
});
