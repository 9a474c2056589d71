import type { ArtifactStore } from '../../src/store/store.js';

/** What was read through a store. */
export class CountedReads {
  /** Keys and prefixes, in the order in which they were asked for. */
  readonly gets: string[] = [];
  /** Keys of which only was asked whether they are there. */
  readonly looks: string[] = [];
  readonly lists: string[] = [];
  /** Reads under way at once, at most. */
  most = 0;
  private running = 0;

  get total(): number {
    return this.gets.length + this.looks.length + this.lists.length;
  }

  async during<T>(read: () => Promise<T>): Promise<T> {
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    try {
      return await read();
    } finally {
      this.running -= 1;
    }
  }

  /** From now on. */
  forget(): void {
    this.gets.length = 0;
    this.looks.length = 0;
    this.lists.length = 0;
    this.most = 0;
  }
}

/** A store that counts what is read through it; everything else passes. */
export function countingStore(store: ArtifactStore): { store: ArtifactStore; reads: CountedReads } {
  const reads = new CountedReads();
  const counting: Partial<ArtifactStore> = {
    get(key) {
      reads.gets.push(key);
      return reads.during(() => store.get(key));
    },
    has(key) {
      reads.looks.push(key);
      return reads.during(() => store.has(key));
    },
    children(prefix) {
      reads.lists.push(prefix);
      return reads.during(() => store.children(prefix));
    },
  };
  const proxy = new Proxy(store, {
    get(of, name) {
      const own = counting[name as keyof ArtifactStore];
      if (own !== undefined) return own;
      const member = of[name as keyof ArtifactStore];
      return typeof member === 'function' ? member.bind(of) : member;
    },
  });
  return { store: proxy, reads };
}
