import { getExternalWorkflowHandle, type SignalDefinition } from '@temporalio/workflow';

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
