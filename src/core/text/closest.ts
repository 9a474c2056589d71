/** More changes than that are no typo. */
const MOST_CHANGES = 3;

/** The candidate a typo most likely meant, or null when none is near. Case does not count. */
export function closest(word: string, candidates: readonly string[]): string | null {
  let best: { candidate: string; distance: number } | null = null;
  for (const candidate of candidates) {
    // Each character too many is a change: words of any length are compared in no time.
    if (Math.abs(word.length - candidate.length) > MOST_CHANGES) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (best === null || distance < best.distance) best = { candidate, distance };
  }
  if (best === null) return null;
  const tolerated = Math.max(1, Math.floor(Math.max(word.length, best.candidate.length) * 0.4));
  return best.distance <= Math.min(MOST_CHANGES, tolerated) ? best.candidate : null;
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = cell(rows, i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(cell(rows, i - 1, j) + 1, (row[j - 1] as number) + 1, replace);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) least = Math.min(least, cell(rows, i - 2, j - 2) + 1);
      row.push(least);
    }
    rows.push(row);
  }
  return cell(rows, a.length, b.length);
}

const cell = (rows: number[][], i: number, j: number): number => (rows[i] as number[])[j] as number;
