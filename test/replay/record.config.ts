import { defineConfig } from 'vitest/config';

/**
 * `npm run record-histories`: not a test, so no tier has it. All are made anew, after the workflow ABI was
 * raised on purpose; with `LONGRUN_RECORD=missing` only those that are not there yet, for new workflows and
 * paths; with `-t <title>` those of that title. Real server, real workers, in-memory sandbox.
 */
export default defineConfig({
  test: {
    include: ['test/replay/record/*.record.ts'],
    // One server after the other: what a history tells must not depend on how busy the machine is.
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
