/**
 * The largest of numbers, `floor` where none is larger. `Math.max` takes each as an argument, and some ten
 * thousands of them overflow the stack; lists that come from outside have no such bound.
 */
export function largest(numbers: Iterable<number>, floor = Number.NEGATIVE_INFINITY): number {
  let most = floor;
  for (const value of numbers) most = Math.max(most, value);
  return most;
}

/** The smallest of numbers, `ceiling` where none is smaller. */
export function smallest(numbers: Iterable<number>, ceiling = Number.POSITIVE_INFINITY): number {
  let least = ceiling;
  for (const value of numbers) least = Math.min(least, value);
  return least;
}
