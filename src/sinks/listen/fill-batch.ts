/**
 * So many of the oldest are combined: what it takes grows with their number, and everybody waits meanwhile. Twice as
 * many as the largest batch has sequences.
 */
const WIDEST_WINDOW = 16_384;

/**
 * Which sizes, in their order, add up to exactly `target`; null when none do. The rule: the oldest goes first wherever
 * the rest can still be filled behind it, so that among all fillings it is the one with the oldest members, and one
 * that fits nowhere holds up nobody.
 */
export function fillBatch(sizes: readonly number[], target: number): number[] | null {
  const inOrder: number[] = [];
  let sum = 0;
  for (const [i, size] of sizes.entries()) {
    if (sum + size > target) continue;
    inOrder.push(i);
    sum += size;
    if (sum === target) break;
  }
  if (sum < target && sizes.reduce((all, size) => all + size, 0) < target) return null;
  // Sizes that divide the target, all alike: nearly always this is it.
  if (sum === target && isPrefix(inOrder)) return inOrder;
  for (let window = 64; window <= WIDEST_WINDOW; window *= 4) {
    const filled = oldestFilling(sizes.slice(0, window), target);
    if (filled !== null || window >= sizes.length) return filled;
  }
  return sum === target ? inOrder : null;
}

const isPrefix = (indices: readonly number[]): boolean => indices.every((index, i) => index === i);

/** Sums that can be reached from the i-th size on, as the bits of a number; then the oldest are taken one by one. */
function oldestFilling(sizes: readonly number[], target: number): number[] | null {
  const mask = (1n << BigInt(target + 1)) - 1n;
  const reach: bigint[] = new Array(sizes.length + 1);
  reach[sizes.length] = 1n;
  for (let i = sizes.length - 1; i >= 0; i--) {
    const behind = reach[i + 1] as bigint;
    const size = sizes[i] as number;
    reach[i] = size > target ? behind : (behind | (behind << BigInt(size))) & mask;
  }
  const reaches = (i: number, sum: number) => ((reach[i] as bigint) >> BigInt(sum)) & 1n;
  if (!reaches(0, target)) return null;
  const taken: number[] = [];
  let left = target;
  for (const [i, size] of sizes.entries()) {
    if (left === 0) break;
    if (size > left || !reaches(i + 1, left - size)) continue;
    taken.push(i);
    left -= size;
  }
  return taken;
}
