import { Worker } from 'node:worker_threads';
import { writeTar } from '../../../sandbox/tar-entries.js';
import { SIFT_LIMIT_MS } from './limits.js';
import type { Sifted, SiftRequest } from './sift-artifacts.js';

const HEAP_LIMIT_MB = 1_024;

/**
 * `siftArtifacts` in a thread of its own, so that no archive, whatever it holds, keeps this process from its other work.
 * One that takes more time or memory than there is for it counts as empty: the agent made it so.
 */
export async function siftInThread(request: SiftRequest, limitMs = SIFT_LIMIT_MS): Promise<Sifted> {
  const thread = new Worker(...threadAt(import.meta.url, request));
  const timer = setTimeout(() => void thread.terminate(), limitMs);
  try {
    return await new Promise<Sifted>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
      thread.once('exit', () => reject(new Exceeded(`${limitMs / 1000} s`)));
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isTooLarge = code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (!isTooLarge && !(error instanceof Exceeded)) throw error;
    const limit = isTooLarge ? `${HEAP_LIMIT_MB} MB of memory` : (error as Error).message;
    return {
      tar: await writeTar([]),
      leftOut: [`left out all artifacts: they take more than ${limit}`],
      links: [],
      wanted: [],
    };
  } finally {
    clearTimeout(timer);
  }
}

class Exceeded extends Error {}

/** Run from the sources, as tests do, a thread needs the loader that reads TypeScript. */
function threadAt(here: string, workerData: SiftRequest): ConstructorParameters<typeof Worker> {
  const resourceLimits = { maxOldGenerationSizeMb: HEAP_LIMIT_MB };
  if (here.endsWith('.js')) return [new URL('./sift-thread.js', here), { workerData, resourceLimits }];
  const source = JSON.stringify(new URL('./sift-thread.ts', here).href);
  const boot = `import('tsx/esm/api').then(({ register }) => { register(); return import(${source}); })`;
  return [boot, { eval: true, workerData, resourceLimits }];
}
