import { LongrunError } from '../core/errors.js';
import { livingHosts } from '../machine/host-lock.js';
import type { SessionOptions } from '../runs/session.js';
import type { MadeImage } from '../sandbox/image-keeper.js';
import { type ReapReason, reapReason } from '../sandbox/reaper.js';
import type { SandboxInfo } from '../sandbox/sandbox.js';
import { keys } from '../store/keys.js';
import { isPlaced } from '../worker/reaper/is-placed.js';
import { type Inventory, withInventory } from './sandbox-inventory.js';

export interface PruneOptions extends SessionOptions {
  /** Only what is older; images: not used for so long. */
  olderThanMs: number;
  /** Also images that this installation made. */
  images: boolean;
  /** Say what would be removed, remove nothing. */
  dryRun: boolean;
  /** All of this installation's, of open rollouts too. */
  force: boolean;
  now: () => number;
}

export type PruneReason = ReapReason | 'forced' | 'unused';
/** `unknown`: whether its workflow goes on could not be found out. */
export type KeepReason = 'open' | 'unknown' | 'young' | 'in_use' | 'kept_snapshot' | 'failed';

export interface Pruned<Reason> {
  kind: 'sandbox' | 'image' | 'network';
  id: string;
  reason: Reason;
  /** Rollout of a sandbox, run of a snapshot. */
  of: string | null;
}

export interface PruneReport {
  removed: Pruned<PruneReason>[];
  kept: Pruned<KeepReason>[];
  clusterAnswers: boolean;
}

/**
 * Removes from this host what the reaper would, without a worker: never a sandbox of an open rollout, never
 * another installation's. Error: `host_locked` when forced while a worker of this state folder runs.
 */
export async function pruneSandboxes(options: PruneOptions): Promise<PruneReport> {
  const [host] = livingHosts(options.stateDir);
  if (options.force && host) throw workerRuns(host.lock.holder.pid);
  return withInventory(options, async (inventory) => {
    const report: PruneReport = { removed: [], kept: [], clusterAnswers: inventory.clusterAnswers };
    if (inventory.installation === null) return report;
    for (const sandbox of await inventory.engine.list(inventory.installation))
      await pruneSandbox(inventory, options, sandbox, report);
    if (options.images)
      for (const image of (await inventory.engine.imageKeeper?.list()) ?? [])
        await pruneImage(inventory, options, image, report);
    for (const id of await inventory.engine.removeUnusedNetwork(options.dryRun))
      report.removed.push({ kind: 'network', id, reason: 'unused', of: null });
    return report;
  });
}

async function pruneSandbox(
  inventory: Inventory,
  options: PruneOptions,
  sandbox: SandboxInfo,
  report: PruneReport,
): Promise<void> {
  const { owner, ref } = sandbox;
  const of = `${owner.runId}/${owner.taskId}/${owner.sample}`;
  const entry = { kind: 'sandbox', id: ref.id, of } as const;
  const reason = await judge(inventory, options, sandbox);
  if (isKept(reason)) return void report.kept.push({ ...entry, reason });
  try {
    if (!options.dryRun) await (await inventory.engine.adopt(ref))?.destroy();
    report.removed.push({ ...entry, reason });
  } catch (error) {
    if (!LongrunError.is(error)) throw error;
    report.kept.push({ ...entry, reason: 'failed' });
  }
}

async function judge(
  { store, ownerState }: Inventory,
  { force, olderThanMs, now }: PruneOptions,
  sandbox: SandboxInfo,
): Promise<PruneReason | KeepReason> {
  if (now() - sandbox.createdAtMs < olderThanMs) return 'young';
  if (force) return 'forced';
  const { clusterId, hostId } = sandbox.owner;
  const state = await ownerState(sandbox.owner);
  const placed = state === 'open' ? await isPlaced(store, sandbox) : null;
  // Whichever host of this installation made it: what is on this engine can only be removed from here.
  const reason = reapReason(sandbox, { clusterId, hostId, nowMs: now(), ownerState: state, placed });
  return reason ?? (state === 'unreachable' ? 'unknown' : 'open');
}

async function pruneImage(
  { engine, store }: Inventory,
  options: PruneOptions,
  image: MadeImage,
  report: PruneReport,
): Promise<void> {
  const entry = { kind: 'image', id: image.name, of: image.runId } as const;
  const keep = (reason: KeepReason): void => void report.kept.push({ ...entry, reason });
  if (options.now() - image.lastUsedAtMs < options.olderThanMs) return keep('young');
  if (image.inUse) return keep('in_use');
  const wanted =
    image.kind === 'snapshot' && image.runId !== null && (await store.has(keys.run(image.runId)));
  if (wanted && !options.force) return keep('kept_snapshot');
  const removed = options.dryRun || (await engine.imageKeeper?.remove(image));
  if (!removed) return keep('in_use');
  report.removed.push({ ...entry, reason: wanted ? 'forced' : 'unused' });
}

const KEPT: readonly string[] = ['open', 'unknown', 'young', 'in_use', 'kept_snapshot', 'failed'];

function isKept(reason: PruneReason | KeepReason): reason is KeepReason {
  return KEPT.includes(reason);
}

function workerRuns(pid: number): LongrunError {
  return new LongrunError(
    'host_locked',
    `A worker of this state folder runs (pid ${pid}): its sandboxes are in use.`,
    {
      hint: 'Stop it first with: longrun down. Without --force its open rollouts keep their sandboxes.',
      details: { pid },
    },
  );
}
