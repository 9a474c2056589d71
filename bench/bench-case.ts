import type { BenchCase } from './measure.js';

/** What can be run, in the order of the table; each is loaded by its own process only. */
export const CASES = {
  start: async () => (await import('./cases/start.js')).start,
  turns: async () => (await import('./cases/turns.js')).turns,
  docker: async () => (await import('./cases/docker.js')).docker,
  bubblewrap: async () => (await import('./cases/bubblewrap.js')).bubblewrap,
  memory: async () => (await import('./cases/memory.js')).memory,
  parsers: async () => (await import('./cases/parsers.js')).parsers,
  traj: async () => (await import('./cases/traj.js')).traj,
  listen: async () => (await import('./cases/listen.js')).listen,
  sweep: async () => (await import('./cases/sweep.js')).sweep,
} satisfies Record<string, () => Promise<BenchCase>>;

export type CaseName = keyof typeof CASES;
export const CASE_NAMES = Object.keys(CASES) as CaseName[];
