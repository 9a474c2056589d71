import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

interface ListOptions extends CommonOptions {
  run?: string;
  all?: boolean;
}

/** `longrun sandboxes list`. */
export function listCommand(io: CliIo): Command {
  const command = new Command('list')
    .description(
      'Containers of this installation on this host, and the images that it made. Needs no worker.',
    )
    .option('--run <run>', 'Only those of one run')
    .option('--all', 'Also containers of other installations on the same engine')
    .action((options: ListOptions) => list(options, io));
  return withCommonOptions(command, 'longrun sandboxes list --run tblite-20260412-1503-k3f9');
}

async function list(options: ListOptions, io: CliIo): Promise<void> {
  const { commandContext } = await import('../command-context.js');
  const { printJson, printLines } = await import('../print.js');
  const { listSandboxes } = await import('../../hosts/sandbox-inventory.js');
  const { listingToWire, renderListing } = await import('./render.js');
  const { lookOf } = await import('../look.js');
  const { json, stateDir } = await commandContext(options, io);
  const { run: runId = null, all = false } = options;
  const listing = await listSandboxes({ stateDir, env: io.env, runId, all });
  if (json) return printJson(io, listingToWire(listing));
  printLines(io, renderListing(listing, lookOf(io), io.now()));
}
