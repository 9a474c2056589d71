import { randomUUID } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HOUR_MS } from '../../core/time.js';
import { checkKey } from '../check-key.js';
import type { ArtifactStore, Durability } from '../store.js';
import { errnoOf, toOpenError, toStoreError } from './store-error.js';
import { UnsyncedFolders } from './unsynced-folders.js';
import { placeIn, syncFolder, writeFileWhole } from './write-file.js';

/** Keys cannot start with a dot, so nothing in here is ever seen as a child. */
const TEMP_FOLDER = '.tmp';
/** Read in one go, without the thread pool. */
const SMALL_BYTES = 256 * 1024;
/** No write takes this long: an older temporary file belongs to a process that died. */
const ABANDONED_AFTER_MS = HOUR_MS;

/**
 * An ArtifactStore in a folder: one file per key, private to the user.
 * A value is written (and synced, when it must outlive a power cut) under a temporary name and then
 * linked (put-if-absent) or renamed (put) into place, so that a reader sees all of it or nothing.
 * Short file calls are synchronous: they cost a tenth of a trip through the thread pool.
 */
export class FilesystemStore implements ArtifactStore {
  /** Folders whose entries changed without being synced; the next durable write below takes care of them. */
  private readonly unsynced: UnsyncedFolders;

  private constructor(private readonly root: string) {
    this.unsynced = new UnsyncedFolders(root);
  }

  /** Makes the folder when missing and clears what dead writers left behind. Errors: `bad_input` for one that cannot be written. */
  static async open(root: string): Promise<FilesystemStore> {
    const store = new FilesystemStore(root);
    try {
      await mkdir(join(root, TEMP_FOLDER), { recursive: true, mode: 0o700 });
      await store.removeAbandoned();
    } catch (cause) {
      throw toOpenError(cause, root);
    }
    return store;
  }

  async get(key: string): Promise<Uint8Array | null> {
    const path = this.pathOf(key);
    try {
      const size = statSync(path, { throwIfNoEntry: false })?.size;
      if (size === undefined) return null;
      return size <= SMALL_BYTES ? readFileSync(path) : await readFile(path);
    } catch (cause) {
      const errno = errnoOf(cause);
      if (errno === 'ENOENT' || errno === 'ENOTDIR' || errno === 'EISDIR') return null;
      throw toStoreError(cause, key, path);
    }
  }

  async has(key: string): Promise<boolean> {
    const path = this.pathOf(key);
    try {
      return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
    } catch (cause) {
      if (errnoOf(cause) === 'ENOTDIR') return false;
      throw toStoreError(cause, key, path);
    }
  }

  async put(key: string, value: Uint8Array, durability: Durability = 'power'): Promise<void> {
    await this.writeThen(key, value, renameSync, durability);
  }

  async putIfAbsent(key: string, value: Uint8Array, durability: Durability = 'power'): Promise<boolean> {
    const path = this.pathOf(key);
    // The usual loser is a retry that comes long after: spare it the write.
    if (statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
    return this.writeThen(key, value, linkSync, durability);
  }

  async children(prefix: string): Promise<string[]> {
    const path = this.pathOf(prefix);
    try {
      return readdirSync(path).sort();
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
        this.unsynced.forgetBelow(path);
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
    place: (temp: string, path: string) => void,
    durability: Durability,
  ): Promise<boolean> {
    const path = this.pathOf(key);
    const temp = this.tempPath();
    try {
      await writeFileWhole(temp, value, durability);
      const { won, changed } = placeIn(dirname(path), () => place(temp, path));
      if (durability === 'process') await this.unsynced.note(changed);
      else await this.unsynced.syncAbove(path, changed);
      return won;
    } catch (cause) {
      throw toStoreError(cause, key, path);
    } finally {
      forget(temp);
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

/**
 * A value that is in place counts, even where its temporary name can no longer be removed (the folder was made
 * read-only in between): its writer must not be told that it failed. A later opening clears the name away.
 */
function forget(temp: string): void {
  try {
    rmSync(temp, { force: true });
  } catch {}
}
