import { availableParallelism, totalmem } from 'node:os';
import type { HostCapacity } from '../core/host/host-capacity.js';

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

/** The defaults, with what was asked for in their place. */
export function capacitiesOf(asked: HostCapacity | null, atLeast = 0): Map<string, number> {
  const capacities = defaultCapacities(atLeast);
  if (asked === null) return capacities;
  for (const kind of capacities.keys()) {
    const own = typeof asked === 'number' ? asked : asked[kind];
    if (own !== undefined) capacities.set(kind, own);
  }
  return capacities;
}
