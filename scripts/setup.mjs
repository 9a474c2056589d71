#!/usr/bin/env node
/**
 * Sets up what is missing, one line for each thing it does or finds in place. Plain Node: nothing is installed yet.
 * --check only looks; --yes may install packages with sudo; --no-sandbox leaves engine and image alone;
 * --bubblewrap makes sure of that driver beside an engine; --topology also brings the servers of the distributed set-up,
 * --peers a Python environment with the programs that read what we write; only tests start either.
 */
import { provideBaseImage } from './setup/base-image.mjs';
import { build } from './setup/build.mjs';
import { provideGoPrograms } from './setup/go-programs.mjs';
import { checkNode, provideNodeModules } from './setup/node-modules.mjs';
import { providePeers } from './setup/peers.mjs';
import { providePostgres } from './setup/postgres.mjs';
import { line, main } from './setup/report.mjs';
import { provideBubblewrap, provideSandbox } from './setup/sandbox.mjs';
import { provideTemporal } from './setup/temporal.mjs';

const flags = new Set(process.argv.slice(2));
const options = { check: flags.has('--check'), yes: flags.has('--yes') };

await main(async () => {
  checkNode();
  await provideNodeModules(options);
  await build(options);
  await provideTemporal(options);
  if (flags.has('--topology')) {
    await provideGoPrograms(options);
    await providePostgres(options);
  }
  if (flags.has('--peers')) await providePeers(options);
  if (flags.has('--bubblewrap')) await provideBubblewrap(options);
  if (flags.has('--no-sandbox')) return line('sandbox', 'left alone');
  const driver = await provideSandbox(options);
  if (driver === 'docker') await provideBaseImage(options);
});
