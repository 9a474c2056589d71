import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LongrunError } from '../../src/core/errors.js';
import { toOpenError, toStoreError } from '../../src/store/filesystem/store-error.js';
import { checkFreeSpace, openStore } from '../../src/store/index.js';
import { bytes, tempStateDir, tempStore, text } from './temp-store.js';

describe('the folder', () => {
  it('keeps its values when the process that put them is gone', async () => {
    const stateDir = await tempStateDir();
    await (await openStore(stateDir)).put('a/b', bytes('x'));
    expect(text(await (await openStore(stateDir)).get('a/b'))).toBe('x');
  });

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

  it('has a value that is in place, though its temporary name cannot be taken away any more', async () => {
    const stateDir = await tempStateDir();
    const store = await openStore(stateDir);
    const temp = join(stateDir, 'store', '.tmp');
    const put = store.putIfAbsent('k', bytes('x'));
    // Between the moment that it appears and the end of the write, as when the folder is made read-only.
    while (!existsSync(store.locate('k'))) await new Promise((resolve) => setImmediate(resolve));
    renameSync(temp, `${temp}-gone`);
    writeFileSync(temp, 'in the way');
    expect(await put).toBe(true);
    expect(text(await store.get('k'))).toBe('x');
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
