/** Maps a stream with at most `parallel` items under way, answering in the order of the items; memory holds one window. */
export async function* mapOrdered<T, R>(
  items: AsyncIterable<T>,
  map: (item: T) => Promise<R>,
  parallel: number,
): AsyncGenerator<R> {
  const window: Promise<R>[] = [];
  for await (const item of items) {
    const pending = map(item);
    // It is awaited in its turn; until then a failure must not count as unhandled.
    pending.catch(() => undefined);
    window.push(pending);
    if (window.length >= parallel) yield await (window.shift() as Promise<R>);
  }
  for (const pending of window) yield await pending;
}
