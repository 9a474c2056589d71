export interface Rounds {
  /** No further round; waits for the one under way. */
  stop(): Promise<void>;
}

/**
 * Does `round` every so often, one at a time: one that takes long delays the next instead of piling up. A round that
 * fails is handed to `onFailed`, and the next one comes: nobody waits for a round, so a rejection would end the process.
 */
export function startRounds(
  everyMs: number,
  round: () => Promise<void>,
  onFailed: (error: unknown) => void,
): Rounds {
  let current: Promise<void> | null = null;
  const timer = setInterval(() => {
    current ??= round()
      .catch(onFailed)
      .finally(() => {
        current = null;
      });
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await current;
    },
  };
}
