import type { AttemptKey } from '../../core/ids.js';
import type { Task } from '../../core/rollout/task.schema.js';
import type { ChangedPath, Sandbox } from '../../sandbox/sandbox.js';
import { provenanceOf } from '../../store/replays.js';
import type { RolloutDeps } from '../deps.js';
import { snapshotFor } from './snapshots.js';

/**
 * A sandbox made from a snapshot tells only what changed since; what the agent changed before it
 * counts as well, above all where verification asks whether it can be trusted.
 */
export async function withEarlierChanges(
  deps: RolloutDeps,
  key: AttemptKey,
  task: Task,
  sandbox: Sandbox,
): Promise<Sandbox> {
  const provenance = await provenanceOf(deps.store, key);
  const snapshot = provenance === null ? null : await snapshotFor(deps, key, task, provenance);
  if (snapshot === null) return sandbox;
  const changedPaths = async (): Promise<ChangedPath[] | null> => {
    const since = await sandbox.changedPaths();
    return since === null || snapshot.changed === null ? null : together(snapshot.changed, since);
  };
  // Everything else is the sandbox's own, whatever its driver adds to it.
  return Object.create(sandbox, { changedPaths: { value: changedPaths } }) as Sandbox;
}

function together(before: readonly ChangedPath[], since: readonly ChangedPath[]): ChangedPath[] {
  const paths = new Map(before.map((changed) => [changed.path, changed]));
  for (const changed of since) {
    const known = paths.get(changed.path);
    if (changed.kind === 'deleted' && known?.kind === 'added') paths.delete(changed.path);
    else paths.set(changed.path, known?.kind === 'added' ? known : changed);
  }
  return [...paths.values()];
}
