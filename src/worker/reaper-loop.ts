import type { Client } from '@temporalio/client';
import type { ActivityDeps } from '../../activities/activity-deps.js';
import { SECOND_MS } from '../core/time.js';
import { type ReaperDeps, reapOnce } from '../sandbox/reaper.js';
import type { SandboxDriver, SandboxInfo } from '../sandbox/sandbox.js';
import { keys } from '../store/keys.js';
import { readRecord } from '../store/records.js';
import { placementSchema, verifierSandboxSchema } from '../store/records.schema.js';
import { OwnerStates } from './owner-state.js';

const ROUND_MS = 20 * SECOND_MS;

/**
 * Counts the sandboxes found running against the host's capacity, then removes, every 20 s, those
 * whose workflow is definitely gone or that no record names.
 */
export async function startReaper(deps: ActivityDeps, client: Client): Promise<{ stop(): Promise<void> }> {
  for (const driver of deps.drivers.values()) await adoptRunning(deps, driver);
  const owners = new OwnerStates(client, deps.store, deps.now);
  let round: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    round = round.then(() => reapAll(deps, owners));
  }, ROUND_MS);
  return {
    async stop() {
      clearInterval(timer);
      await round;
    },
  };
}

async function adoptRunning(deps: ActivityDeps, driver: SandboxDriver): Promise<void> {
  for (const { ref, owner } of await driver.list(deps.clusterId)) {
    if (owner.hostId === deps.hostId) deps.ledgers.of(driver.name).adopt(ref.id);
  }
}

async function reapAll(deps: ActivityDeps, owners: OwnerStates): Promise<void> {
  for (const driver of deps.drivers.values()) {
    const reaper: ReaperDeps = {
      driver,
      clusterId: deps.clusterId,
      hostId: deps.hostId,
      now: deps.now,
      ownerState: (owner) => owners.of(owner),
      isPlaced: (sandbox) => isPlaced(deps, sandbox),
      onReaped(sandbox, reason) {
        deps.ledgers.of(driver.name).drop(sandbox.ref.id);
        deps.logger.info({ sandbox: sandbox.ref.id, reason }, 'sandbox reaped');
      },
      onFailed: (sandbox, error) =>
        deps.logger.warn({ sandbox: sandbox.ref.id, err: error }, 'a sandbox could not be removed'),
    };
    await reapOnce(reaper).catch((error: unknown) =>
      deps.logger.warn({ err: error }, 'the reaper skips a round'),
    );
  }
}

/** Whether a record of its attempt names this sandbox; null when the store does not answer. */
async function isPlaced(deps: ActivityDeps, { ref, owner }: SandboxInfo): Promise<boolean | null> {
  try {
    const placement = await readRecord(deps.store, placementSchema, keys.placement(owner));
    if (owner.role === 'agent') return placement?.sandbox.id === ref.id;
    const steps = await deps.store.children(`${keys.attempt(owner)}/steps`);
    const records = await Promise.all(
      steps.map((step) =>
        readRecord(deps.store, verifierSandboxSchema, keys.verifierSandbox(owner, Number(step))),
      ),
    );
    return records.some((record) => record?.sandbox.id === ref.id);
  } catch {
    return null;
  }
}
