import { defineConfig } from 'vitest/config';

/** `npm run record-histories`: not a test, so no tier has it. */
export default defineConfig({
  test: { include: ['test/replay/record.ts'], testTimeout: 120_000, hookTimeout: 60_000 },
});
