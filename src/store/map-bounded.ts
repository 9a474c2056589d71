/** Reads under way at once: enough to hide latency, few enough for the limit on open files. */
const PARALLEL_READS = 32;

/** Maps items with bounded parallelism, answering in the order of the items; memory holds one window of results. */
export async function* mapBounded<T, R>(
  items: Iterable<T>,
  map: (item: T) => Promise<R>,
  parallel: number = PARALLEL_READS,
): AsyncGenerator<{ item: T; result: R }> {
  const window: { item: T; pending: Promise<R> }[] = [];
  const iterator = items[Symbol.iterator]();
  const fill = (): void => {
    while (window.length < parallel) {
      const next = iterator.next();
      if (next.done) return;
      const pending = map(next.value);
      // It is awaited in its turn; until then a failure must not count as unhandled.
      pending.catch(() => undefined);
      window.push({ item: next.value, pending });
    }
  };
  for (fill(); window.length > 0; fill()) {
    const { item, pending } = window.shift() as {
      item: T;
      pending: Promise<R>;
    };
    yield { item, result: await pending };
  }
}

/** The same as `mapBounded`, gathered: for results that are few or small. */
export async function gatherBounded<T, R>(
  items: Iterable<T>,
  map: (item: T) => Promise<R>,
  parallel: number = PARALLEL_READS,
): Promise<R[]> {
  const results: R[] = [];
  for await (const { result } of mapBounded(items, map, parallel)) results.push(result);
  return results;
}
