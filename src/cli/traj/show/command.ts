import { Command } from 'commander';
import type { CliIo } from '../../cli-io.js';
import { withCommonOptions } from '../../common-options.js';
import { withInputs } from '../traj-options.js';
import type { ShowFlags } from './run.js';

/** `longrun traj show`. */
export function showCommand(io: CliIo): Command {
  const command = withInputs(new Command('show'))
    .description('The conversation of one trajectory: the first of the input, or the one that is named.')
    .option('--session <id>', 'Session id, as traj list shows it')
    .option('--full', 'Long messages and tool results whole')
    .action((inputs: string[], options: ShowFlags) => run(inputs, options, io));
  return withCommonOptions(command, 'longrun traj show trajectory_samples.jsonl --session rows-7');
}

async function run(inputs: string[], options: ShowFlags, io: CliIo): Promise<void> {
  const { showLine } = await import('./run.js');
  await showLine(inputs, options, io);
}
