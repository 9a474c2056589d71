import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { showCommand } from './show.js';

/** `longrun rollouts …`. */
export function rolloutsCommand(io: CliIo): Command {
  return new Command('rollouts')
    .description('Read what an agent did.')
    .addCommand(showCommand(io))
    .addHelpText(
      'after',
      '\nExample:\n  $ longrun rollouts show tblite-20260412-1503-k3f9/csv-statistics/0\n',
    );
}
