import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

interface PruneCommandOptions extends CommonOptions {
  olderThan?: string;
  images?: boolean;
  dryRun?: boolean;
  force?: boolean;
}

/** `longrun sandboxes prune`. */
export function pruneCommand(io: CliIo): Command {
  const command = new Command('prune')
    .description(
      'Remove containers whose rollout is over, as a worker does by itself. Never those of open rollouts or of other installations.',
    )
    .option('--older-than <age>', 'Only what is older (90s, 30m, 24h, 7d); images: not used for so long')
    .option('--images', 'Also images that longrun built here, and snapshots of runs that are gone')
    .option('--dry-run', 'Say what would be removed, and remove nothing')
    .option(
      '--force',
      'Everything of this installation, of open rollouts too (they start again in a new sandbox); refused while a worker runs',
    )
    .action((options: PruneCommandOptions) => prune(options, io));
  return withCommonOptions(command, 'longrun sandboxes prune --images --older-than 24h');
}

async function prune(options: PruneCommandOptions, io: CliIo): Promise<void> {
  const { commandContext } = await import('../command-context.js');
  const { printJson, printLines } = await import('../print.js');
  const { pruneSandboxes } = await import('../../hosts/prune-sandboxes.js');
  const { pruneToWire, renderPrune } = await import('./render-prune.js');
  const { age } = await import('./age.js');
  const olderThanMs = options.olderThan === undefined ? 0 : age('--older-than', options.olderThan);
  const { images = false, dryRun = false, force = false } = options;
  const { json, stateDir } = await commandContext(options, io);
  const report = await pruneSandboxes({
    stateDir,
    env: io.env,
    olderThanMs,
    images,
    dryRun,
    force,
    now: io.now,
  });
  if (json) return printJson(io, pruneToWire(report, dryRun));
  printLines(io, renderPrune(report, dryRun));
}
