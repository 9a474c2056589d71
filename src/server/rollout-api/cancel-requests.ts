import { runStanding } from '../../runs/status/run-status.js';
import { keys } from '../../store/keys.js';
import { mapBounded } from '../../store/map-bounded.js';
import type { RolloutApiDeps } from './deps.js';
import { requestRunId } from './request-run.js';

type Deps = Pick<RolloutApiDeps, 'store' | 'runs'>;

/** Cancels the groups that a run was asked for and that are still open: whoever asked has nobody to ask any more. */
export async function cancelRequests(deps: Deps, servingRunId: string): Promise<void> {
  const names = await deps.store.children(keys.requests(servingRunId));
  const runIds = names.map((name) => requestRunId(servingRunId, name.replace(/\.json$/, '')));
  let failure: unknown = null;
  const cancel = (runId: string) =>
    cancelStarted(deps, runId).catch((error: unknown) => {
      failure ??= error;
    });
  for await (const _ of mapBounded(runIds, cancel, 8));
  if (failure !== null) throw failure;
}

/** A launch that was cut off before its plan was there has started nothing. */
async function cancelStarted(deps: Deps, runId: string): Promise<void> {
  if (await deps.store.has(keys.plan(runId))) await cancelOpen(deps, runId);
}

/** A run that has ended stays as it is. */
export async function cancelOpen(deps: Deps, runId: string): Promise<void> {
  if (!(await isOpen(deps, runId))) return;
  await deps.runs.cancel(runId).catch(async (error: unknown) => {
    // It may have ended meanwhile.
    if (await isOpen(deps, runId)) throw error;
  });
}

async function isOpen({ store, runs }: Deps, runId: string): Promise<boolean> {
  const { status } = await runStanding(store, runs, runId);
  return status === 'running' || status === 'paused' || status === 'draining';
}
