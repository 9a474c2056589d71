import type { ListedSandbox, Listing } from '../../hosts/sandbox-inventory.js';
import { duration } from '../../report/quantities.js';
import { type Column, renderTable } from '../../report/table.js';
import type { MadeImage } from '../../sandbox/image-keeper.js';
import type { Look } from '../look.js';

const COLUMNS: Column[] = [
  { title: 'sandbox' },
  { title: 'rollout', flexible: true },
  { title: 'attempt', align: 'right' },
  { title: 'role' },
  { title: 'age', align: 'right' },
  { title: 'container' },
  { title: 'rollout is' },
];

/** What the state of the owner means to a person. */
const STATES: Record<ListedSandbox['ownerState'], string> = {
  open: 'open',
  ended: 'past this attempt',
  closed: 'over',
  unknown: 'not known to its cluster',
  unreachable: 'not known now',
  elsewhere: "another installation's",
};

/** `sandboxes list` for people. */
export function renderListing(listing: Listing, { style, columns }: Look, now: number): string[] {
  const { sandboxes, images, clusterAnswers } = listing;
  const rows = sandboxes.map(({ ref, owner, createdAtMs, running, ownerState }) => [
    ref.id.slice(0, 12),
    `${owner.runId}/${owner.taskId}/${owner.sample}`,
    String(owner.attempt),
    owner.role,
    duration(Math.max(0, now - createdAtMs)),
    running ? 'running' : 'stopped',
    STATES[ownerState],
  ]);
  const lines =
    rows.length === 0 ? ['There are no sandboxes on this host.'] : renderTable(COLUMNS, rows, columns, style);
  const away = sandboxes.some(({ ownerState }) => ownerState === 'unreachable') && !clusterAnswers;
  return [
    ...lines,
    '',
    imageLine(images),
    ...(away
      ? ['Temporal does not run for this state folder: what is not finished may yet be carried on.']
      : []),
  ];
}

function imageLine(images: readonly MadeImage[]): string {
  const tasks = images.filter(({ kind }) => kind === 'task');
  const snapshots = images.length - tasks.length;
  if (images.length === 0) return 'Images made here: none.';
  const idle = tasks.filter(({ inUse }) => !inUse).length;
  return `Images made here: ${tasks.length} of tasks (${idle} not in use), ${snapshots} snapshots.`;
}

/** `sandboxes list --json`. */
export function listingToWire({ sandboxes, images, clusterAnswers }: Listing): unknown {
  return {
    cluster_answers: clusterAnswers,
    sandboxes: sandboxes.map(({ ref, owner, createdAtMs, running, ownerState }) => ({
      driver: ref.driver,
      id: ref.id,
      installation: owner.clusterId,
      host_id: owner.hostId,
      run_id: owner.runId,
      task_id: owner.taskId,
      sample: owner.sample,
      attempt: owner.attempt,
      role: owner.role,
      created_at: createdAtMs,
      running,
      owner_state: ownerState,
    })),
    images: images.map((image) => ({
      driver: image.driver,
      name: image.name,
      kind: image.kind,
      bytes: image.bytes,
      created_at: image.createdAtMs,
      last_used_at: image.lastUsedAtMs,
      in_use: image.inUse,
      run_id: image.runId,
    })),
  };
}
