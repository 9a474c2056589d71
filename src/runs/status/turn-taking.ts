/** Goes through a list that may change, a part at a time, beginning where it ended before. */
export class TurnTaking {
  private at = 0;

  /** The next `most` of the items, or all where there are no more. */
  next<T>(items: readonly T[], most: number): T[] {
    if (items.length <= most) return [...items];
    const from = this.at % items.length;
    this.at = from + most;
    return [...items.slice(from, from + most), ...items.slice(0, Math.max(0, this.at - items.length))];
  }
}
