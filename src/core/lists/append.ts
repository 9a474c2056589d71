/** Adds items to the end of a list. `push` with a spread list takes each as an argument, and many overflow the stack. */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
