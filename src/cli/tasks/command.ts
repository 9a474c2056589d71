import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { listCommand } from './list.js';
import { showCommand } from './show.js';
import { validateCommand } from './validate.js';

/** `longrun tasks …`. */
export function tasksCommand(io: CliIo): Command {
  return new Command('tasks')
    .description('List, show and validate tasks.')
    .addCommand(listCommand(io))
    .addCommand(showCommand(io))
    .addCommand(validateCommand(io))
    .addHelpText('after', '\nExample:\n  $ longrun tasks list tblite\n');
}
