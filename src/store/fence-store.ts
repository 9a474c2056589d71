import { LongrunError } from '../core/errors.js';
import type { AttemptKey } from '../core/ids.js';
import { rolloutId } from '../core/ids.js';
import { compareFences, type Fence, fenceName, parseFenceName } from '../core/rollout/fence.js';
import { keys } from './keys.js';
import type { ArtifactStore } from './store.js';

/**
 * Puts a fence for an attempt: from now on executors with a lower one stop. Raising the same fence
 * again is harmless. Throws `fenced` when a higher one exists already.
 */
export async function raiseFence(store: ArtifactStore, attempt: AttemptKey, fence: Fence): Promise<void> {
  await store.putIfAbsent(`${keys.fences(attempt)}/${fenceName(fence)}`, new Uint8Array(), 'process');
  await assertFence(store, attempt, fence);
}

/** Throws `fenced` when a newer executor has taken the attempt over. One directory listing: ask before every effect. */
export async function assertFence(store: ArtifactStore, attempt: AttemptKey, fence: Fence): Promise<void> {
  const highest = await highestFence(store, attempt);
  if (highest === null || compareFences(highest, fence) <= 0) return;
  throw new LongrunError(
    'fenced',
    `${rolloutId(attempt)} attempt ${attempt.attempt}: ${fenceName(fence)} gives way to ${fenceName(highest)}`,
    { details: { own: fence, highest } },
  );
}

/** The newest executor of an attempt; null before the first. */
export async function highestFence(store: ArtifactStore, attempt: AttemptKey): Promise<Fence | null> {
  const names = await store.children(keys.fences(attempt));
  return names
    .map(parseFenceName)
    .filter((found) => found !== null)
    .reduce<Fence | null>(
      (top, found) => (top === null || compareFences(found, top) > 0 ? found : top),
      null,
    );
}
