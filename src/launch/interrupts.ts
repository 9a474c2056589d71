/** Signals that ask a process to end: a terminal's Ctrl-C, a service manager, a closed terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Interrupts {
  /** Fires on the first signal. */
  readonly signal: AbortSignal;
  /** As a first signal would; nothing when there was one. */
  interrupt(): void;
  /** Gives the signals back. */
  release(): void;
}

/** The first signal asks for an orderly end, the second one leaves now. */
export function catchInterrupts(leaveNow: () => void): Interrupts {
  const first = new AbortController();
  const onSignal = (): void => {
    if (first.signal.aborted) leaveNow();
    else interrupt();
  };
  const interrupt = (): void => first.abort(new Error('interrupted'));
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: first.signal,
    interrupt,
    release: () => {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
