/** Signals that ask a process to end: a terminal's Ctrl-C, a service manager, a closed terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Interrupts {
  /** Fires on the first signal. */
  readonly signal: AbortSignal;
  /** Gives the signals back. */
  release(): void;
}

/** The first signal asks for an orderly end, the second one leaves now. */
export function catchInterrupts(leaveNow: () => void): Interrupts {
  const first = new AbortController();
  const onSignal = (): void => {
    if (first.signal.aborted) leaveNow();
    else first.abort(new Error('interrupted'));
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: first.signal,
    release: () => {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
