import { badInput } from '../core/errors.js';
import type { Task } from '../core/rollout/task.schema.js';
import type { RunConfig } from '../core/run/run-config.schema.js';
import { loadDriver } from './resolve-sandbox.js';

const SHOWN_TASKS = 3;

/** Throws `bad_input` when the run needs the network and its driver has none: nothing of it could start. */
export async function requireNetwork(
  tasks: readonly Task[],
  { sandbox, network }: Pick<RunConfig, 'sandbox' | 'network'>,
): Promise<void> {
  const wanting = tasks.filter((task) => (network ?? wantedNetwork(task)) === 'public');
  if (wanting.length === 0 || (await hasNetwork(sandbox))) return;
  const ids = wanting.map(({ taskId }) => taskId);
  const shown = ids.slice(0, SHOWN_TASKS).join(', ') + (ids.length > SHOWN_TASKS ? ', …' : '');
  const who =
    ids.length === 1 ? `1 task asks for it (${shown})` : `${ids.length} tasks ask for it (${shown})`;
  throw badInput(
    `Sandboxes of ${sandbox} have no network, and ${network === 'public' ? '--network public asks for it' : who}.`,
    'Use --network none if the tasks can do without, or --sandbox docker.',
    { sandbox, tasks: ids.slice(0, SHOWN_TASKS) },
  );
}

/** Of the agent's sandbox and of those that verifiers bring along. */
function wantedNetwork({ metadata, evalCriteria }: Task): 'none' | 'public' {
  const specs = [metadata.sandbox, ...evalCriteria.steps.flatMap(({ verifier }) => verifier.sandbox ?? [])];
  return specs.some(({ network }) => network === 'public') ? 'public' : 'none';
}

async function hasNetwork(name: RunConfig['sandbox']): Promise<boolean> {
  const driver = await loadDriver(name);
  try {
    return driver.profile.networkPublic;
  } finally {
    await driver.close();
  }
}
