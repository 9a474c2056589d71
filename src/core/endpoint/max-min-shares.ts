/**
 * Divides `total` so that the smallest share is as large as can be: nobody gets more than he wants
 * while another wants more; what nobody wants is spread evenly.
 */
export function maxMinShares(total: number, wants: readonly number[]): number[] {
  const shares = wants.map(() => 0);
  const open = new Set(wants.keys());
  let left = total;
  while (open.size > 0 && left > 0) {
    const each = left / open.size;
    const modest = [...open].filter((i) => (wants[i] ?? 0) <= each);
    for (const i of modest.length > 0 ? modest : [...open]) {
      const share = modest.length > 0 ? (wants[i] ?? 0) : each;
      shares[i] = share;
      left -= share;
      open.delete(i);
    }
  }
  return left > 0 ? shares.map((share) => share + left / shares.length) : shares;
}

/** The same in whole numbers; what division leaves goes round by `turn`, so that nobody is left out for good. */
export function wholeShares(total: number, wants: readonly number[], turn: number): number[] {
  const exact = maxMinShares(total, wants);
  const shares = exact.map((share) => Math.floor(share + 1e-9));
  let left = Math.floor(total) - shares.reduce((sum, share) => sum + share, 0);
  const order = [...shares.keys()]
    .map((_, i) => (i + turn) % shares.length)
    .sort((a, b) => Number(wanting(b)) - Number(wanting(a)));
  function wanting(i: number): boolean {
    return (shares[i] ?? 0) < (wants[i] ?? 0);
  }
  for (const i of order) {
    if (left <= 0) break;
    shares[i] = (shares[i] ?? 0) + 1;
    left -= 1;
  }
  return shares;
}
