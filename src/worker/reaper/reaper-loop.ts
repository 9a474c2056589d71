import type { ActivityDeps } from '../../../activities/activity-deps.js';
import { SECOND_MS } from '../../core/time.js';
import { type ReaperDeps, reapOnce } from '../../sandbox/reaper.js';
import type { SandboxDriver, SandboxInfo } from '../../sandbox/sandbox.js';
import { type Rounds, startRounds } from '../rounds.js';
import { isPlaced } from './is-placed.js';
import type { OwnerStates } from './owner-state.js';

const ROUND_MS = 20 * SECOND_MS;

/**
 * Settles what an earlier process left running, then removes, every 20 s, the sandboxes whose workflow is definitely
 * gone or that no record names.
 */
export async function startReaper(deps: ActivityDeps, owners: OwnerStates): Promise<Rounds> {
  for (const driver of deps.drivers.values()) await adoptRunning(deps, driver);
  const onFailed = (error: unknown) => deps.logger.warn({ err: error }, 'the reaper skips a round');
  return startRounds(ROUND_MS, () => reapAll(deps, owners, onFailed), onFailed);
}

/**
 * What an earlier process of this host left running counts against the capacity. What it could not record before it
 * died is nobody's: the host's lock says that its maker is dead, so that no grace is due.
 */
async function adoptRunning(deps: ActivityDeps, driver: SandboxDriver): Promise<void> {
  for (const sandbox of await driver.list(deps.clusterId)) {
    if (sandbox.owner.hostId !== deps.hostId) continue;
    const orphaned = (await isPlaced(deps.store, sandbox)) === false;
    if (!(orphaned && (await isRemoved(deps, driver, sandbox))))
      deps.ledgers.of(driver.name).adopt(sandbox.ref.id);
  }
}

/** One that cannot be removed now is left to the reaper's rounds. */
async function isRemoved(deps: ActivityDeps, driver: SandboxDriver, { ref }: SandboxInfo): Promise<boolean> {
  try {
    await (await driver.adopt(ref))?.destroy();
    return true;
  } catch (error) {
    deps.logger.warn({ sandbox: ref.id, err: error }, 'a sandbox could not be removed');
    return false;
  }
}

async function reapAll(
  deps: ActivityDeps,
  owners: OwnerStates,
  onFailed: (error: unknown) => void,
): Promise<void> {
  let all = true;
  for (const driver of deps.drivers.values()) {
    const reaper: ReaperDeps = {
      driver,
      clusterId: deps.clusterId,
      hostId: deps.hostId,
      now: deps.now,
      ownerState: (owner) => owners.of(owner),
      isPlaced: (sandbox) => isPlaced(deps.store, sandbox),
      onReaped(sandbox, reason) {
        deps.ledgers.of(driver.name).drop(sandbox.ref.id);
        deps.logger.info({ sandbox: sandbox.ref.id, reason }, 'sandbox reaped');
      },
      onFailed: (sandbox, error) =>
        deps.logger.warn({ sandbox: sandbox.ref.id, err: error }, 'a sandbox could not be removed'),
    };
    // An engine that does not answer keeps nobody from reaping at the next one.
    await reapOnce(reaper).catch((error: unknown) => {
      all = false;
      onFailed(error);
    });
  }
  // One that could not list its sandboxes has them all the same.
  if (all) owners.roundEnded();
}
