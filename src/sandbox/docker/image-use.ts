import { mkdir, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RecentlyUsed } from '../../core/held/recently-used.js';
import { MINUTE_MS } from '../../core/time.js';

/** As exact as the order of removal has to be. */
const GRAIN_MS = MINUTE_MS;

/** When this host last used each image that longrun built: the modification time of a file per image. */
export class ImageUse {
  private readonly noted: RecentlyUsed<number>;

  constructor(
    private readonly folder: string,
    private readonly now: () => number = Date.now,
  ) {
    this.noted = new RecentlyUsed(GRAIN_MS, now);
  }

  /** Best effort: an image whose use could not be noted counts as used when it was made. */
  async note(image: string): Promise<void> {
    const now = this.now();
    if (now - (this.noted.get(image) ?? Number.NEGATIVE_INFINITY) < GRAIN_MS) return;
    this.noted.set(image, now);
    const seconds = now / 1000;
    const path = this.pathOf(image);
    await utimes(path, seconds, seconds)
      .catch(async () => {
        await mkdir(this.folder, { recursive: true, mode: 0o700 });
        await writeFile(path, '');
        await utimes(path, seconds, seconds);
      })
      .catch(() => undefined);
  }

  /** Null when this host has no note of it. */
  async lastUsedAt(image: string): Promise<number | null> {
    return stat(this.pathOf(image)).then(
      ({ mtimeMs }) => mtimeMs,
      () => null,
    );
  }

  private pathOf(image: string): string {
    return join(this.folder, image.replace(/[^A-Za-z0-9_.-]/g, '_'));
  }
}
