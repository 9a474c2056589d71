import { LongrunError } from '../../core/errors.js';
import type { RolloutKey } from '../../core/ids.js';
import { RetryLater } from '../../core/rollout/lifecycle.js';
import type { Task } from '../../core/rollout/task.schema.js';
import { SECOND_MS } from '../../core/time.js';
import { keys } from '../../store/keys.js';
import { readForkOrigin } from '../../store/replays.js';
import { readRun, readSealedResult } from '../../store/runs.js';
import type { AttemptContext } from '../attempt-context.js';
import type { RolloutDeps } from '../deps.js';
import { bearsSnapshots as bears, keepSnapshot } from './snapshots.js';

const WAIT_MS = SECOND_MS;
const NOT_YET = new LongrunError('internal', 'another sample is bringing a sandbox to the turn of the fork', {
  retryable: true,
});

/** At the turn of a fork: the sample that executed the source's commands keeps its sandbox for the others. */
export async function keepForkSnapshot(context: AttemptContext): Promise<void> {
  const { deps, key, task, placement } = context;
  const origin = await readForkOrigin(deps.store, key);
  if (origin === null || origin.leader !== key.sample || placement.fromSnapshot || !bears(task)) return;
  await keepSnapshot(context, keys.forkSnapshot(key));
  // Whoever waits goes on without one, where none could be made.
  await deps.store.putIfAbsent(`${keys.rollout(key)}/fork-reached`, new Uint8Array(), 'process');
}

/**
 * The commands up to a fork's turn are executed once: the other samples wait, without a place of
 * their own, until there is a snapshot to start from, or there will be none.
 */
export async function awaitForkSnapshot(deps: RolloutDeps, rollout: RolloutKey, task: Task): Promise<void> {
  const origin = await readForkOrigin(deps.store, rollout);
  if (origin === null || origin.leader === rollout.sample || !bears(task)) return;
  const { config } = await readRun(deps.store, rollout.runId);
  if (deps.drivers.get(config.sandbox)?.profile.snapshots !== true) return;
  const leader = { ...rollout, sample: origin.leader };
  const [reached, ended] = await Promise.all([
    deps.store.has(`${keys.rollout(leader)}/fork-reached`),
    readSealedResult(deps.store, leader),
  ]);
  if (!reached && ended === null) throw new RetryLater(NOT_YET, WAIT_MS);
}
