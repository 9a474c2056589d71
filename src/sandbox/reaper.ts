import { MINUTE_MS } from '../core/time.js';
import type { SandboxDriver, SandboxInfo, SandboxOwner } from './sandbox.js';

/**
 * `ended`: the workflow is open, the attempt that the sandbox is of has its record. `unknown`: the cluster answered
 * that there is no such workflow. `unreachable`: it did not answer.
 */
export type OwnerState = 'open' | 'ended' | 'closed' | 'unknown' | 'unreachable';

/** A sandbox that no placement record names belongs to nobody once its maker has had this long to write one. */
export const PLACEMENT_GRACE_MS = 2 * MINUTE_MS;

export interface ReaperInput {
  clusterId: string;
  hostId: string;
  nowMs: number;
  /** State of the workflow that owns it. */
  ownerState: OwnerState;
  /** Whether the store's placement record of its attempt names this very sandbox; null when it did not answer. */
  placed: boolean | null;
}

export type ReapReason = 'attempt_ended' | 'workflow_closed' | 'workflow_unknown' | 'not_placed';

/** Whether a sandbox may be removed, and why; null keeps it. In doubt it stays. */
export function reapReason(sandbox: SandboxInfo, input: ReaperInput): ReapReason | null {
  const { owner } = sandbox;
  if (owner.clusterId !== input.clusterId || owner.hostId !== input.hostId) return null;
  if (input.ownerState === 'unreachable') return null;
  if (input.ownerState === 'ended') return 'attempt_ended';
  if (input.ownerState === 'closed') return 'workflow_closed';
  if (input.ownerState === 'unknown') return 'workflow_unknown';
  const orphaned = input.placed === false && input.nowMs - sandbox.createdAtMs >= PLACEMENT_GRACE_MS;
  return orphaned ? 'not_placed' : null;
}

export interface ReaperDeps {
  driver: SandboxDriver;
  clusterId: string;
  hostId: string;
  now: () => number;
  ownerState(owner: SandboxOwner): Promise<OwnerState>;
  /** Whether the placement record of the owner's attempt names this sandbox; null when the store is down. */
  isPlaced(sandbox: SandboxInfo): Promise<boolean | null>;
  onReaped?(sandbox: SandboxInfo, reason: ReapReason): void;
  /** A sandbox that could not be removed; the next round tries again. */
  onFailed?(sandbox: SandboxInfo, error: unknown): void;
}

/** One round over this host's sandboxes; answers how many it removed. Rejects when the driver cannot list. */
export async function reapOnce(deps: ReaperDeps): Promise<number> {
  const sandboxes = await deps.driver.list(deps.clusterId);
  let removed = 0;
  for (const sandbox of sandboxes) {
    const reason = await reasonFor(sandbox, deps);
    if (reason === null) continue;
    try {
      const living = await deps.driver.adopt(sandbox.ref);
      await living?.destroy();
      removed += 1;
      deps.onReaped?.(sandbox, reason);
    } catch (error) {
      deps.onFailed?.(sandbox, error);
    }
  }
  return removed;
}

async function reasonFor(sandbox: SandboxInfo, deps: ReaperDeps): Promise<ReapReason | null> {
  const ownerState = await deps.ownerState(sandbox.owner);
  const placed = ownerState === 'open' ? await deps.isPlaced(sandbox) : null;
  const { clusterId, hostId } = deps;
  return reapReason(sandbox, { clusterId, hostId, nowMs: deps.now(), ownerState, placed });
}
