import type { AttemptKey } from '../../../src/core/ids.js';
import { keys } from '../../../src/store/keys.js';
import { readResult } from '../../../src/store/runs.js';
import type { ChaosRun } from './chaos-run.js';

/** Rollouts that are placed and not sealed. */
export async function atWork(chaos: Pick<ChaosRun, 'store' | 'rollouts'>): Promise<AttemptKey[]> {
  const { store } = chaos;
  const found: AttemptKey[] = [];
  for (const key of await chaos.rollouts()) {
    const attempt = Math.max(0, ...(await store.children(keys.attempts(key))).map(Number));
    if (attempt === 0 || (await readResult(store, key)) !== null) continue;
    if ((await store.get(keys.placement({ ...key, attempt }))) !== null) found.push({ ...key, attempt });
  }
  return found;
}
