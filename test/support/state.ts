import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A fresh state folder, removed when the running test ends. */
export async function temporaryStateDir(): Promise<string> {
  return await temporaryFolder('longrun-state-');
}

/** A fresh folder, removed when the running test ends; a concurrent test says by its own context when that is. */
export async function temporaryFolder(
  prefix = 'longrun-test-',
  whenFinished: (work: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  whenFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** A fresh folder for the tests of a whole file, and how to remove it. */
export async function makeFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'longrun-test-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
}
