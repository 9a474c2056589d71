import type { SandboxOwner } from '../sandbox.js';

/** Container labels; other tools and the reaper find sandboxes by them. */
export const LABEL = {
  cluster: 'dev.longrun.cluster',
  namespace: 'dev.longrun.namespace',
  host: 'dev.longrun.host',
  run: 'dev.longrun.run',
  task: 'dev.longrun.task',
  sample: 'dev.longrun.sample',
  attempt: 'dev.longrun.attempt',
  role: 'dev.longrun.role',
  /** The image's own user: commands run as it, PID 1 as root. */
  defaultUser: 'dev.longrun.default-user',
  /** Megabytes that a container may write, where no quota of the engine's holds it to them. */
  storageMb: 'dev.longrun.storage-mb',
  /** `public` or `none`; on a network: the one of all sandboxes that are `public`. */
  network: 'dev.longrun.network',
  /** On images that longrun built: the digest of their build context. */
  contextDigest: 'dev.longrun.context',
  /** On images that longrun built: the installation that may remove them. */
  builder: 'dev.longrun.builder',
} as const;

/** Repository of the images that longrun builds; the tag is the digest of the build context. */
export const BUILT_IMAGE_REPOSITORY = 'longrun/task';

/** Repository of kept file systems: images with the labels of the container that they were made of. */
export const SNAPSHOT_REPOSITORY = 'longrun/snapshot';

export function ownerToLabels(owner: SandboxOwner): Record<string, string> {
  return {
    [LABEL.cluster]: owner.clusterId,
    [LABEL.namespace]: owner.namespace,
    [LABEL.host]: owner.hostId,
    [LABEL.run]: owner.runId,
    [LABEL.task]: owner.taskId,
    [LABEL.sample]: String(owner.sample),
    [LABEL.attempt]: String(owner.attempt),
    [LABEL.role]: owner.role,
  };
}

export function labelsToOwner(labels: Record<string, string>): SandboxOwner {
  return {
    clusterId: labels[LABEL.cluster] ?? '',
    namespace: labels[LABEL.namespace] ?? '',
    hostId: labels[LABEL.host] ?? '',
    runId: labels[LABEL.run] ?? '',
    taskId: labels[LABEL.task] ?? '',
    sample: Number(labels[LABEL.sample] ?? 0),
    attempt: Number(labels[LABEL.attempt] ?? 0),
    role: labels[LABEL.role] === 'verifier' ? 'verifier' : 'agent',
  };
}

/** A container name that a person recognises; `suffix` makes it unique. */
export function containerName(owner: SandboxOwner, suffix: string): string {
  const parts = [owner.runId, owner.taskId].map((part) => part.replace(/[^A-Za-z0-9_.-]/g, '-').slice(0, 32));
  const role = owner.role === 'verifier' ? '-verifier' : '';
  return `longrun-${parts.join('-')}-${owner.sample}-${owner.attempt}${role}-${suffix}`;
}
