export type Prerequisite = 'temporal' | 'engine' | 's3' | 'topology' | 'peers';

export interface Tier {
  /** Folders under test/; empty: all that no other tier names. */
  folders: readonly string[];
  needs: readonly Prerequisite[];
  timeoutMs: number;
}

/** What `npm test` runs. A tier whose prerequisite is missing fails and says what is missing. */
export const TIERS = {
  unit: { folders: [], needs: [], timeoutMs: 30_000 },
  replay: { folders: ['replay'], needs: [], timeoutMs: 60_000 },
  workflow: {
    folders: ['temporal', 'workflows', 'activities', 'worker'],
    needs: ['temporal'],
    timeoutMs: 60_000,
  },
  store: { folders: ['store/s3'], needs: ['s3', 'temporal'], timeoutMs: 300_000 },
  topology: { folders: ['topology'], needs: ['engine', 'topology'], timeoutMs: 300_000 },
  peers: { folders: ['peers'], needs: ['peers', 'temporal'], timeoutMs: 120_000 },
  sandbox: { folders: ['sandbox'], needs: ['engine', 'temporal'], timeoutMs: 120_000 },
  chaos: { folders: ['chaos'], needs: ['engine', 'temporal'], timeoutMs: 600_000 },
  environments: { folders: ['environments'], needs: ['engine', 'temporal'], timeoutMs: 300_000 },
  cli: { folders: ['cli'], needs: ['temporal'], timeoutMs: 240_000 },
} as const satisfies Record<string, Tier>;

export type TierName = keyof typeof TIERS;

/** The file patterns of a tier: every test file is in exactly one. */
export function tierPatterns(name: TierName): { include: string[]; exclude: string[] } {
  const under = (folders: readonly string[]) => folders.map((folder) => `test/${folder}/**/*.test.ts`);
  const { folders } = TIERS[name];
  if (folders.length > 0) return { include: under(folders), exclude: [] };
  return {
    include: ['test/**/*.test.ts'],
    exclude: under(Object.values(TIERS).flatMap((t) => [...t.folders])),
  };
}

/**
 * The tiers left by LONGRUN_SKIP_TIERS, a comma-separated list. `sandbox` stands for every tier that needs a
 * container engine: it is the way out for a laptop without one.
 */
export function tiersToRun(skip: string | undefined): TierName[] {
  const names = Object.keys(TIERS) as TierName[];
  const skipped = (skip ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = skipped.filter((name) => !names.includes(name as TierName));
  if (unknown.length > 0) {
    throw new Error(`LONGRUN_SKIP_TIERS names ${unknown.join(', ')}; tiers are ${names.join(', ')}`);
  }
  return names.filter((name) => {
    const needsEngine = (TIERS[name].needs as readonly Prerequisite[]).includes('engine');
    return !skipped.includes(name) && !(skipped.includes('sandbox') && needsEngine);
  });
}
