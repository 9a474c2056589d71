import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { TIERS, type TierName, tierPatterns, tiersToRun } from './test/support/tiers.js';

/** Tests start servers, workers and containers of their own: more at once only makes them wait for each other. */
const TEST_FILES = 2;
/** Rows of the fault matrix wait most of the time, for deadlines that have to pass; they come last. */
const CHAOS_ROWS = 3;

/** One vitest project per tier: `npx vitest run --project unit` runs it alone. */
function project(name: TierName): TestProjectInlineConfiguration {
  const { needs, timeoutMs } = TIERS[name];
  const { include, exclude } = tierPatterns(name);
  const prepared = needs.length > 0;
  return {
    extends: true,
    test: {
      name,
      include,
      exclude: [...configDefaults.exclude, ...exclude],
      testTimeout: timeoutMs,
      hookTimeout: timeoutMs,
      maxWorkers: name === 'chaos' ? CHAOS_ROWS : TEST_FILES,
      sequence: { groupOrder: name === 'chaos' ? 1 : 0 },
      globalSetup: prepared ? ['test/support/global-setup.ts'] : [],
      setupFiles: prepared ? ['test/support/require-tier.ts'] : [],
    },
  };
}

export default defineConfig({
  test: {
    pool: 'forks',
    projects: tiersToRun(process.env.LONGRUN_SKIP_TIERS).map(project),
  },
});
