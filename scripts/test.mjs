#!/usr/bin/env node
/** Sets up what is missing, then runs the tests; arguments go to vitest. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './setup/root.mjs';

const skipped = (process.env.LONGRUN_SKIP_TIERS ?? '').split(',').map((name) => name.trim());
if (process.env.LONGRUN_SKIP_TIERS)
  console.log(`Tiers left out on request: ${process.env.LONGRUN_SKIP_TIERS}`);

const options = [
  ...(skipped.includes('sandbox') ? ['--no-sandbox'] : ['--bubblewrap']),
  ...(skipped.includes('store') && skipped.includes('topology') ? [] : ['--topology']),
  ...(skipped.includes('peers') ? [] : ['--peers']),
];
const setup = node(['scripts/setup.mjs', ...options]);
process.exitCode =
  setup === 0 ? node([join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...process.argv.slice(2)]) : setup;

function node(args) {
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  return status ?? 1;
}
