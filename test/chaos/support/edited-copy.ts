import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { TestContext } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PARTS = [
  'src',
  'workflows',
  'activities',
  'environments',
  'test/support',
  'test/chaos/support',
  'package.json',
];
const WORKER = 'test/chaos/support/chaos-worker.child.ts';

/** The worker's script as it is after an edit: a copy inside the project, so that packages resolve. Gone with the test. */
export async function editedWorker(
  file: string,
  edit: (source: string) => string,
  whenFinished: TestContext['onTestFinished'],
): Promise<URL> {
  const copies = join(ROOT, '.cache');
  await mkdir(copies, { recursive: true });
  const copy = await mkdtemp(join(copies, 'edited-'));
  whenFinished(() => rm(copy, { recursive: true, force: true, maxRetries: 5 }));
  for (const part of PARTS) await cp(join(ROOT, part), join(copy, part), { recursive: true });
  const path = join(copy, file);
  const before = await readFile(path, 'utf8');
  const after = edit(before);
  if (after === before) throw new Error(`the edit of ${file} changed nothing`);
  await writeFile(path, after);
  return pathToFileURL(join(copy, WORKER));
}
