import { RecentlyUsed } from '../core/held/recently-used.js';
import { type Clock, MINUTE_MS } from '../core/time.js';

/** From preparing an image to starting a sandbox of it takes far less; having one anew costs seconds. */
const IDLE_MS = 10 * MINUTE_MS;

/**
 * The images that a driver keeps in this process, which are as large as the files in them: each is made once for all who
 * ask for it, goes when it has not been asked for in a while, and may be made again when that failed.
 */
export class PreparedImages<T> {
  private readonly making = new Map<string, Promise<T>>();
  private readonly made: RecentlyUsed<Promise<T>>;

  constructor(now: Clock) {
    this.made = new RecentlyUsed(IDLE_MS, now);
  }

  get size(): number {
    return this.making.size + this.made.size;
  }

  get(name: string): Promise<T> | undefined {
    return this.making.get(name) ?? this.made.get(name);
  }

  prepare(name: string, make: () => Promise<T>): Promise<T> {
    const known = this.get(name);
    if (known !== undefined) return known;
    const image = make();
    this.making.set(name, image);
    image.then(
      () => {
        this.making.delete(name);
        this.made.set(name, image);
      },
      () => this.making.delete(name),
    );
    return image;
  }

  clear(): void {
    this.made.clear();
  }
}
