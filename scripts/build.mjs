#!/usr/bin/env node
/** Builds dist/: compiled code, the files of the environments, the workflow bundle. Does nothing when nothing changed. */
import { build } from './setup/build.mjs';
import { main } from './setup/report.mjs';

await main(async () => {
  await build({ force: process.argv.includes('--force') });
});
