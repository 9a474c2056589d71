/** Works on a stream with at most `parallel` items under way, in any order. The first failure ends it, after what is under way. */
export async function inParallel<T>(
  items: AsyncIterable<T>,
  parallel: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  let failed: { error: unknown } | null = null;
  try {
    for await (const item of items) {
      const started: Promise<void> = work(item)
        .catch((error: unknown) => {
          failed ??= { error };
        })
        .finally(() => underWay.delete(started));
      underWay.add(started);
      if (underWay.size >= parallel) await Promise.race(underWay);
      if (failed) break;
    }
  } finally {
    // Also where the stream itself fails: what was begun is paid for.
    await Promise.all(underWay);
  }
  if (failed !== null) throw (failed as { error: unknown }).error;
}
