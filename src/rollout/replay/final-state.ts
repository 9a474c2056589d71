import { keys } from '../../store/keys.js';
import { provenanceOf } from '../../store/replays.js';
import type { AttemptContext } from '../attempt-context.js';
import { bearsSnapshots, keepSnapshot } from './snapshots.js';

/** Under `--keep-snapshots`: the sandbox as the agent left it, before the tests enter. */
export async function keepFinalState(context: AttemptContext): Promise<void> {
  const { run, task, key, step, placement } = context;
  if (!run.config.keepSnapshots || !bearsSnapshots(task)) return;
  // Whoever comes from a snapshot and did nothing more has one already.
  const { deps } = context;
  const verifies = (await provenanceOf(deps.store, key))?.mode === 'verify';
  if (placement.fromSnapshot && verifies) return;
  await keepSnapshot(context, keys.finalSnapshot(key, step));
}
