import { getExternalWorkflowHandle, type SignalDefinition, setHandler } from '@temporalio/workflow';
import type { InOrder } from './in-order.js';
import { pauseSignal, resumeSignal } from './messages.js';

/** Signals running children; one that has closed meanwhile has nothing to be told. */
export async function passOn<Args extends unknown[]>(
  ids: Iterable<string>,
  signal: SignalDefinition<Args>,
  ...args: Args
): Promise<void> {
  await Promise.all([...ids].map((id) => tell(id, signal, ...args)));
}

/** The same for one workflow. */
export async function tell<Args extends unknown[]>(
  id: string,
  signal: SignalDefinition<Args>,
  ...args: Args
): Promise<void> {
  await getExternalWorkflowHandle(id)
    .signal(signal, ...args)
    .catch(() => undefined);
}

/** The same for a child that its parent has just started. */
export async function tellChild<Args extends unknown[]>(
  child: { signal(definition: SignalDefinition<Args>, ...args: Args): Promise<void> },
  signal: SignalDefinition<Args>,
  ...args: Args
): Promise<void> {
  await child.signal(signal, ...args).catch(() => undefined);
}

/** Pauses and resumes are noted, and passed on to running children in the order in which they came. */
export function handlePauses(
  note: (paused: boolean) => void,
  running: () => Iterable<string>,
  toChildren: InOrder,
): void {
  const handle = (signal: typeof pauseSignal | typeof resumeSignal, paused: boolean) =>
    setHandler(signal, () => {
      note(paused);
      return toChildren.run(() => passOn(running(), signal));
    });
  handle(pauseSignal, true);
  handle(resumeSignal, false);
}
