import { dirname } from 'node:path';
import { mapBounded } from '../map-bounded.js';
import { errnoOf } from './store-error.js';
import { syncFolder } from './write-file.js';

/** Most are cleared by a durable write near them; what is left is synced together, once there are so many. */
const MOST_KEPT = 256;

/**
 * Folders with entries that a power cut may take, though a durable write further down would depend on them.
 * Their number is bounded: a process that lives for months makes millions that no durable write ever clears.
 */
export class UnsyncedFolders {
  /** By when each was last noted: one that is noted again while it is being synced stays. */
  private readonly noted = new Map<string, number>();
  private notes = 0;

  constructor(
    private readonly root: string,
    private readonly sync: (folder: string) => Promise<void> = syncFolder,
  ) {}

  get size(): number {
    return this.noted.size;
  }

  /**
   * After a write that need not outlive a power cut, which placed a file in `changed[0]` and made that folder and its
   * parents as far as they are `changed` too. The file itself is nobody's loss: only the folders that others may use
   * later are kept.
   */
  async note([placedIn, ...madeIn]: readonly string[]): Promise<void> {
    for (const folder of madeIn) {
      if (folder === placedIn) continue;
      this.notes += 1;
      this.noted.set(folder, this.notes);
    }
    if (this.noted.size > MOST_KEPT) await this.syncAll();
  }

  /**
   * After a durable write of `path`. Also for a loser: it goes on with the winner's value, which must outlive a power
   * cut as well. Together, because the file system commits what is asked for at the same time only once.
   */
  async syncAbove(path: string, changed: readonly string[]): Promise<void> {
    const folders = new Set(changed);
    for (let at = dirname(path); at.length >= this.root.length; at = dirname(at)) {
      if (this.noted.has(at)) folders.add(at);
    }
    await Promise.all([...folders].map((folder) => this.clear(folder, this.sync)));
  }

  /** What was removed needs no care any more. */
  forgetBelow(path: string): void {
    for (const folder of this.noted.keys())
      if (folder === path || folder.startsWith(`${path}/`)) this.noted.delete(folder);
  }

  private async syncAll(): Promise<void> {
    const synced = mapBounded([...this.noted.keys()], (folder) =>
      this.clear(folder, (path) => this.sync(path).catch(unlessGone)),
    );
    for await (const _ of synced);
  }

  private async clear(folder: string, sync: (folder: string) => Promise<void>): Promise<void> {
    const asOf = this.noted.get(folder);
    await sync(folder);
    if (this.noted.get(folder) === asOf) this.noted.delete(folder);
  }
}

/** Another process may have removed it, with all that was in it. */
function unlessGone(error: unknown): void {
  if (errnoOf(error) !== 'ENOENT') throw error;
}
