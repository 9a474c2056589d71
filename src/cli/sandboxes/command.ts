import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { listCommand } from './list.js';
import { pruneCommand } from './prune.js';

/** `longrun sandboxes …`. */
export function sandboxesCommand(io: CliIo): Command {
  return new Command('sandboxes')
    .description('See and clear away what rollouts left on this host: containers and images.')
    .addCommand(listCommand(io))
    .addCommand(pruneCommand(io))
    .addHelpText('after', '\nExample:\n  $ longrun sandboxes prune --dry-run\n');
}
