import { availableParallelism, totalmem } from 'node:os';

const GIB = 1024 ** 3;
const MEMORY_SANDBOXES = 2_000;

/**
 * How many sandboxes of each kind this host holds unless told otherwise: containers by cores and
 * memory, bubblewrap (no limits of its own) by cores, in-memory ones by what a process bears.
 */
export function defaultCapacities(atLeast = 0): Map<string, number> {
  const cores = availableParallelism();
  const containers = Math.max(4, Math.min(cores * 4, Math.floor(totalmem() / GIB)));
  return new Map([
    ['docker', Math.max(containers, atLeast)],
    ['bubblewrap', Math.max(cores * 8, atLeast)],
    ['memory', Math.max(MEMORY_SANDBOXES, atLeast)],
  ]);
}
