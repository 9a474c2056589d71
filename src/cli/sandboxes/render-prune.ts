import type { KeepReason, Pruned, PruneReason, PruneReport } from '../../hosts/prune-sandboxes.js';
import { escapeTerminalLine } from '../../report/escape-terminal.js';

const REMOVED: Record<PruneReason, string> = {
  attempt_ended: 'its attempt has ended',
  workflow_closed: 'its rollout is over',
  workflow_unknown: 'no cluster knows its rollout',
  not_placed: 'no record names it',
  forced: 'forced',
  unused: 'not in use',
};

const KEPT: Record<KeepReason, string> = {
  open: 'its rollout is open',
  unknown: 'whether its rollout goes on is not known',
  young: 'younger than --older-than',
  in_use: 'in use',
  kept_snapshot: 'kept by --keep-snapshots, and its run is still there',
  failed: 'the engine could not remove it',
};

/** `sandboxes prune` for people. */
export function renderPrune({ removed, kept, clusterAnswers }: PruneReport, dryRun: boolean): string[] {
  if (removed.length + kept.length === 0) return ['There is nothing of this installation on this host.'];
  const verb = dryRun ? 'Would remove' : 'Removed';
  const unknown = kept.some(({ reason }) => reason === 'unknown');
  return [
    ...removed.map((entry) => `${verb} ${nameOf(entry)}: ${REMOVED[entry.reason]}.`),
    ...kept.map((entry) => `Kept ${nameOf(entry)}: ${KEPT[entry.reason]}.`),
    ...(unknown && !clusterAnswers
      ? ['Temporal does not run for this state folder. Start it (longrun up) to find out, or use --force.']
      : []),
    `${dryRun ? 'Would remove' : 'Removed'} ${removed.length}, kept ${kept.length}.`,
  ];
}

function nameOf({ kind, id, of }: Pruned<unknown>): string {
  const name = kind === 'sandbox' ? `sandbox ${id.slice(0, 12)}` : `${kind} ${id}`;
  return escapeTerminalLine(of === null ? name : `${name} (${of})`);
}

/** `sandboxes prune --json`. */
export function pruneToWire({ removed, kept, clusterAnswers }: PruneReport, dryRun: boolean): unknown {
  return { dry_run: dryRun, cluster_answers: clusterAnswers, removed, kept };
}
