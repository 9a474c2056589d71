import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { tempStateDir } from './temp-store.js';

/** 512-byte or 1-KiB blocks, as the shell counts: some megabytes, far below the value that is written. */
const LIMIT_BLOCKS = 16_384;

it('a value that the disk has no room for is named, and nothing of it is ever seen', async () => {
  const stateDir = await tempStateDir();
  const child = fileURLToPath(new URL('./full-disk.child.ts', import.meta.url));
  const command = ['--import', 'tsx', child, stateDir];
  // The kernel's limit on file sizes ends a write half-way, as a full disk does, and needs no rights.
  const script = `ulimit -f ${LIMIT_BLOCKS}; exec "$0" "$@"`;
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', script, process.execPath, ...command]);
  expect(JSON.parse(stdout)).toEqual({
    codes: ['store_full true', 'store_full true'],
    kept: 'small',
    children: ['kept'],
  });
  expect(await readdir(join(stateDir, 'store', '.tmp'))).toEqual([]);
});
