/** IPv4 addresses as numbers, both ends included. */
export interface AddressRange {
  first: number;
  last: number;
}

/** Null for what is no IPv4 address or prefix (`192.0.2.1`, `192.0.2.0/24`). */
export function addressRange(prefix: string): AddressRange | null {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:\/(\d{1,2}))?$/.exec(prefix);
  if (match === null) return null;
  const [a = 0, b = 0, c = 0, d = 0, bits = 32] = match.slice(1).map((part) => Number(part ?? 32));
  if (Math.max(a, b, c, d) > 255 || bits > 32) return null;
  const size = 2 ** (32 - bits);
  const address = ((a * 256 + b) * 256 + c) * 256 + d;
  const first = address - (address % size);
  return { first, last: first + size - 1 };
}

/** The same addresses in ascending ranges that neither overlap nor touch. */
export function mergedRanges(ranges: readonly AddressRange[]): AddressRange[] {
  const merged: AddressRange[] = [];
  for (const { first, last } of [...ranges].sort((a, b) => a.first - b.first)) {
    const before = merged.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else merged.push({ first, last });
  }
  return merged;
}
