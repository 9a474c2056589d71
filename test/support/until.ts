/** Waits until something is so; gives up after a generous limit and says what it waited for. */
export async function until(
  condition: () => Promise<boolean> | boolean,
  options: { limitMs?: number; what?: string } = {},
): Promise<void> {
  const { limitMs = 60_000, what = condition.toString() } = options;
  const begun = Date.now();
  while (!(await condition())) {
    if (Date.now() - begun > limitMs) throw new Error(`not so after ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
