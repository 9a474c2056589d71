import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf } from '../../store/filesystem/store-error.js';

/**
 * Makes a folder and those above it. Node's own recursive `mkdir` never returns where a file system answers
 * "no such file" below a folder that exists, as /proc does.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await made(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent);
  if (!(await made(path))) throw new Error(`${path} cannot be made`);
}

/** False where the folder above is missing. */
async function made(path: string): Promise<boolean> {
  try {
    await mkdir(path);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return false;
    if (errnoOf(cause) !== 'EEXIST') throw cause;
  }
  return true;
}
