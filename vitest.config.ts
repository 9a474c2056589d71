import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { TIERS, type TierName, tierPatterns, tiersToRun } from './test/support/tiers.js';

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
      // Rows of the fault matrix come last: whatever is quick has failed before.
      sequence: { groupOrder: name === 'chaos' ? 1 : 0 },
      globalSetup: prepared ? ['test/support/global-setup.ts'] : [],
      setupFiles: prepared ? ['test/support/require-tier.ts'] : [],
    },
  };
}

export default defineConfig({
  test: {
    pool: 'forks',
    // Tests start servers, workers and containers of their own: more at once only makes them wait for each other.
    maxWorkers: 2,
    projects: tiersToRun(process.env.LONGRUN_SKIP_TIERS).map(project),
  },
});
