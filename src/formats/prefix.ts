/** The first items of a list, without a copy of them: rows that repeat how something began stay as small as what they repeat. */
export class Prefix<T> {
  constructor(
    private readonly list: readonly T[],
    readonly length: number,
  ) {}

  /** In parts, so that nobody needs to hold a whole copy. */
  *parts(size: number): Generator<readonly T[]> {
    for (let at = 0; at < this.length; at += size)
      yield this.list.slice(at, Math.min(at + size, this.length));
  }

  toJSON(): T[] {
    return this.list.slice(0, this.length);
  }
}
