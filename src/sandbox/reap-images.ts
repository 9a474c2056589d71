import { DAY_MS, MINUTE_MS } from '../core/time.js';
import { mapBounded } from '../store/map-bounded.js';
import type { ImageKeeper, MadeImage } from './image-keeper.js';

/** An image that was just made ready is about to be used. */
export const JUST_USED_MS = 10 * MINUTE_MS;
/** So long a snapshot outlives the run that it was taken in. */
const SNAPSHOT_GRACE_MS = DAY_MS;

export interface ImageReaperDeps {
  keeper: ImageKeeper;
  now: () => number;
  /** Whether the disk has become too full; asked before each removal. */
  isDiskShort(): Promise<boolean>;
  /** Whether the store still has a run; null when it does not answer. */
  hasRun(runId: string): Promise<boolean | null>;
  onRemoved?(image: MadeImage, reason: 'disk_short' | 'run_gone'): void;
}

/**
 * One round over the images that this installation made: snapshots of runs that are gone and, while the disk is
 * short, images of tasks, the least recently used first. Answers how many it removed.
 */
export async function reapImages(deps: ImageReaperDeps): Promise<number> {
  const images = (await deps.keeper.list()).filter(({ inUse }) => !inUse);
  let removed = 0;
  for (const image of await abandonedSnapshots(deps, images))
    removed += await remove(deps, image, 'run_gone');
  for (const image of leastRecentlyUsed(images, deps.now() - JUST_USED_MS)) {
    if (!(await deps.isDiskShort())) break;
    removed += await remove(deps, image, 'disk_short');
  }
  return removed;
}

/** Images of tasks that nobody has used since, oldest use first. They can be built again. */
export function leastRecentlyUsed(images: readonly MadeImage[], usedBeforeMs: number): MadeImage[] {
  return images
    .filter((image) => image.kind === 'task' && !image.inUse && image.lastUsedAtMs <= usedBeforeMs)
    .sort((a, b) => a.lastUsedAtMs - b.lastUsedAtMs);
}

async function abandonedSnapshots(deps: ImageReaperDeps, images: readonly MadeImage[]): Promise<MadeImage[]> {
  const old = images.filter(
    ({ kind, createdAtMs }) => kind === 'snapshot' && createdAtMs <= deps.now() - SNAPSHOT_GRACE_MS,
  );
  const gone = new Set<string>();
  // Once for each run, and a few at a time: a run may have left thousands of snapshots.
  const runIds = new Set(old.flatMap(({ runId }) => runId ?? []));
  for await (const { item, result } of mapBounded(runIds, (runId) => deps.hasRun(runId)))
    if (result === false) gone.add(item);
  return old.filter(({ runId }) => runId !== null && gone.has(runId));
}

async function remove(
  { keeper, onRemoved }: ImageReaperDeps,
  image: MadeImage,
  reason: 'disk_short' | 'run_gone',
): Promise<number> {
  if (!(await keeper.remove(image))) return 0;
  onRemoved?.(image, reason);
  return 1;
}
