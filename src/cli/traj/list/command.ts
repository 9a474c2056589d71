import { Command } from 'commander';
import type { CliIo } from '../../cli-io.js';
import { withCommonOptions } from '../../common-options.js';
import { type InputOptions, withInputs } from '../traj-options.js';

/** `longrun traj list`. */
export function listCommand(io: CliIo): Command {
  const command = withInputs(new Command('list'))
    .description('One line per trajectory: session, model, turns, tokens, reward, how it ended.')
    .action((inputs: string[], options: InputOptions) => run(inputs, options, io));
  return withCommonOptions(command, 'longrun traj list tblite-20260412-1503-k3f9');
}

async function run(inputs: string[], options: InputOptions, io: CliIo): Promise<void> {
  const { listLine } = await import('./run.js');
  await listLine(inputs, options, io);
}
