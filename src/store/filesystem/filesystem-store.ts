import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HOUR_MS } from '../../core/time.js';
import { checkKey } from '../check-key.js';
import type { ArtifactStore } from '../store.js';
import { errnoOf, toStoreError } from './store-error.js';

/** Keys cannot start with a dot, so nothing in here is ever seen as a child. */
const TEMP_FOLDER = '.tmp';
/** No write takes this long: an older temporary file belongs to a process that died. */
const ABANDONED_AFTER_MS = HOUR_MS;

/**
 * An ArtifactStore in a folder: one file per key, private to the user.
 * A value is written and synced under a temporary name and then linked (put-if-absent) or renamed
 * (put) into place, so that a reader sees all of it or nothing, also after a power cut.
 */
export class FilesystemStore implements ArtifactStore {
  private constructor(private readonly root: string) {}

  /** Makes the folder when missing and clears what dead writers left behind. */
  static async open(root: string): Promise<FilesystemStore> {
    const store = new FilesystemStore(root);
    try {
      await mkdir(join(root, TEMP_FOLDER), { recursive: true, mode: 0o700 });
      await store.removeAbandoned();
    } catch (cause) {
      throw toStoreError(cause, 'the store', root);
    }
    return store;
  }

  async get(key: string): Promise<Uint8Array | null> {
    const path = this.pathOf(key);
    try {
      return await readFile(path);
    } catch (cause) {
      const errno = errnoOf(cause);
      if (errno === 'ENOENT' || errno === 'ENOTDIR' || errno === 'EISDIR') return null;
      throw toStoreError(cause, key, path);
    }
  }

  async put(key: string, value: Uint8Array): Promise<void> {
    await this.writeThen(key, value, rename);
  }

  async putIfAbsent(key: string, value: Uint8Array): Promise<boolean> {
    const path = this.pathOf(key);
    // The usual loser is a retry that comes long after: spare it the write.
    if (await exists(path)) return false;
    return this.writeThen(key, value, link);
  }

  async children(prefix: string): Promise<string[]> {
    const path = this.pathOf(prefix);
    try {
      return (await readdir(path)).sort();
    } catch (cause) {
      const errno = errnoOf(cause);
      if (errno === 'ENOENT' || errno === 'ENOTDIR') return [];
      throw toStoreError(cause, prefix, path);
    }
  }

  async remove(keyOrPrefix: string): Promise<void> {
    const isPrefix = keyOrPrefix.endsWith('/');
    const path = this.pathOf(isPrefix ? keyOrPrefix.slice(0, -1) : keyOrPrefix);
    const trash = this.tempPath();
    try {
      if (!isPrefix) {
        await unlink(path);
      } else {
        // Renamed first, so that nobody ever finds half of a removed run.
        await rename(path, trash);
        await rm(trash, { recursive: true, force: true });
      }
      await syncFolder(dirname(path));
    } catch (cause) {
      if (errnoOf(cause) !== 'ENOENT') throw toStoreError(cause, keyOrPrefix, path);
    }
  }

  locate(key: string): string {
    return this.pathOf(key);
  }

  /** False when `place` found the key taken. */
  private async writeThen(
    key: string,
    value: Uint8Array,
    place: (temp: string, path: string) => Promise<void>,
  ): Promise<boolean> {
    const path = this.pathOf(key);
    const temp = this.tempPath();
    try {
      await writeSynced(temp, value);
      const { won, changed } = await placeIn(dirname(path), () => place(temp, path));
      // Also for the loser: it goes on with the winner's value, which must outlive a power cut as well.
      // Together, because the file system commits what is asked for at the same time only once.
      await Promise.all(changed.map(syncFolder));
      return won;
    } catch (cause) {
      throw toStoreError(cause, key, path);
    } finally {
      await rm(temp, { force: true });
    }
  }

  private async removeAbandoned(): Promise<void> {
    const folder = join(this.root, TEMP_FOLDER);
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const age = await stat(path).then(
        (found) => Date.now() - found.mtimeMs,
        () => 0,
      );
      if (age > ABANDONED_AFTER_MS) await rm(path, { recursive: true, force: true });
    }
  }

  private tempPath(): string {
    return join(this.root, TEMP_FOLDER, randomUUID());
  }

  private pathOf(key: string): string {
    checkKey(key);
    return join(this.root, key);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function writeSynced(path: string, value: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(value);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Places a file, making its folder only when it turns out to be missing: most writes find it there.
 * Answers the folders that changed: the file's own and, up to the first that existed before, the parents of new ones.
 */
async function placeIn(
  folder: string,
  place: () => Promise<void>,
): Promise<{ won: boolean; changed: string[] }> {
  const changed = [folder];
  for (;;) {
    try {
      await place();
      return { won: true, changed };
    } catch (cause) {
      if (errnoOf(cause) === 'EEXIST') return { won: false, changed };
      if (errnoOf(cause) !== 'ENOENT' || changed.length > 1) throw cause;
      const topmost = (await mkdir(folder, { recursive: true, mode: 0o700 })) ?? folder;
      for (let at = folder; at.length >= topmost.length; at = dirname(at)) changed.push(dirname(at));
    }
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
