export interface Rounds {
  /** No further round; waits for the one under way. */
  stop(): Promise<void>;
}

/** Does `round` every so often, one at a time: one that takes long delays the next instead of piling up. */
export function startRounds(everyMs: number, round: () => Promise<void>): Rounds {
  let current: Promise<void> | null = null;
  const timer = setInterval(() => {
    current ??= round().finally(() => {
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
