/** Mixes a number into a 32-bit state (MurmurHash3's finaliser): the same on every machine. */
export function mix(state: number, value: number): number {
  let hash = Math.imul(state ^ Math.imul(value | 0, 0xcc9e2d51), 0x1b873593) ^ (state >>> 7);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

export const mixAll = (state: number, values: Iterable<number>): number => {
  let mixed = state;
  for (const value of values) mixed = mix(mixed, value);
  return mixed;
};

export const mixText = (state: number, text: string): number => mixAll(state, Buffer.from(text));

/** At least 0 and below 1. */
export const unit = (state: number): number => mix(state, 0x5bd1e995) / 2 ** 32;
