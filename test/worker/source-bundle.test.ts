import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { sourceBundle } from '../../src/worker/source-bundle.js';

/** Inside the project, so that packages resolve. */
const COPIES = fileURLToPath(new URL('../../.cache', import.meta.url));

it('workflows that run from their sources are bundled once, and again when one has changed', async () => {
  await mkdir(COPIES, { recursive: true });
  const root = await mkdtemp(join(COPIES, 'bundled-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, 'workflows'));
  const write = (answer: string) =>
    writeFile(join(root, 'workflows', 'index.ts'), `export const ask = async () => '${answer}';\n`);

  await write('first');
  const first = await sourceBundle(root);
  const { mtimeMs } = await stat(first);
  expect(await readFile(first, 'utf8')).toContain('first');
  expect(await sourceBundle(root)).toBe(first);
  expect((await stat(first)).mtimeMs).toBe(mtimeMs);

  await write('second');
  expect(await readFile(await sourceBundle(root), 'utf8')).toContain('second');
});
