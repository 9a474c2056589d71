import { closeSync, fsync, mkdirSync, openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Durability } from '../store.js';
import { errnoOf } from './store-error.js';

const sync = promisify(fsync);

/** Writes a new file, private to the user; synced when it must outlive a power cut. */
export async function writeFileWhole(path: string, value: Uint8Array, durability: Durability): Promise<void> {
  const file = openSync(path, 'wx', 0o600);
  try {
    for (let at = 0; at < value.length; ) at += writeSync(file, value, at);
    if (durability === 'power') await sync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Places a file, making its folder only when it turns out to be missing: most writes find it there.
 * Answers the folders that changed: the file's own and, up to the first that existed before, the parents of new ones.
 */
export function placeIn(folder: string, place: () => void): { won: boolean; changed: string[] } {
  const changed = [folder];
  for (;;) {
    try {
      place();
      return { won: true, changed };
    } catch (cause) {
      if (errnoOf(cause) === 'EEXIST') return { won: false, changed };
      if (errnoOf(cause) !== 'ENOENT' || changed.length > 1) throw cause;
      const topmost = mkdirSync(folder, { recursive: true, mode: 0o700 }) ?? folder;
      for (let at = folder; at.length >= topmost.length; at = dirname(at)) changed.push(dirname(at));
    }
  }
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
