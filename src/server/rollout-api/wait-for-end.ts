import { setTimeout as delay } from 'node:timers/promises';
import { SECOND_MS } from '../../core/time.js';
import { keys } from '../../store/keys.js';
import type { ArtifactStore } from '../../store/store.js';

const FIRST_MS = 50;
const LONGEST_MS = SECOND_MS;

/** Waits until a run has closed, its time is over or the signal fires. The store is asked: less and less often. */
export async function waitForEnd(
  store: ArtifactStore,
  runId: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  for (let pause = FIRST_MS; !over.aborted; pause = Math.min(LONGEST_MS, pause * 1.5)) {
    if (await store.has(keys.summary(runId))) return;
    await delay(pause, undefined, { signal: over }).catch(() => undefined);
  }
}
