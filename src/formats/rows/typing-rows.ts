interface FileColumns {
  /** The first row that has a value in a column, by column. */
  firstWith: Map<string, number>;
  /** The row with the most values, the earliest of several. */
  fullest: { index: number; columns: ReadonlySet<string> };
  first: { index: number; columns: ReadonlySet<string> };
}

/**
 * Which rows a file has to begin with. `datasets` settles the type of a column by the first rows, and a column
 * that is null (or an empty list) in all of them can hold nothing later: so the row with the most values is
 * written first, and after it one for each column that it has no value in.
 */
export class TypingRows {
  private readonly files = new Map<string | null, FileColumns>();

  /** `columns`: those in which the row has a value that tells the type. */
  see(file: string | null, index: number, columns: ReadonlySet<string>): void {
    const row = { index, columns };
    const known = this.files.get(file) ?? { firstWith: new Map(), fullest: row, first: row };
    this.files.set(file, known);
    for (const column of columns) if (!known.firstWith.has(column)) known.firstWith.set(column, index);
    if (columns.size > known.fullest.columns.size) known.fullest = row;
  }

  /** By index; empty where the files begin with such rows anyway. */
  first(): number[] {
    return [...this.files.values()].flatMap(({ firstWith, fullest, first }) => {
      if (first.columns.size === firstWith.size) return [];
      const missing = [...firstWith].filter(([column]) => !fullest.columns.has(column));
      return [...new Set([fullest.index, ...missing.map(([, index]) => index)])];
    });
  }
}
