import { Command, Option } from 'commander';
import type { CliIo } from '../../cli-io.js';
import { withCommonOptions } from '../../common-options.js';
import { withInputs, withOutput } from '../traj-options.js';
import type { ImportFlags } from './run.js';

const FORMATS = ['longrun', 'sharegpt', 'messages', 'atropos-v1', 'atif', 'agoge'];

const EXPLANATION = `
Formats that are read: sharegpt (both variants, also of other tools), messages (OpenAI chat messages),
atropos-v1, atif, agoge (trajectory.json), longrun. Which one a file is in is told by its first row.

Lines that cannot be read go to <output>.rejected.jsonl with file, line and reason.

Exit codes:
  0  done   1  error, or nothing of the input could be written   2  bad input   130  interrupted
`;

/** `longrun traj import`. */
export function importCommand(io: CliIo): Command {
  const format = new Option('--format <name>', 'Read files as this; without it told by their first rows');
  format.argChoices = FORMATS;
  const command = withInputs(new Command('import'))
    .description('Reads trajectories of other tools into rows that the traj commands work on.')
    .addOption(format);
  withOutput(command, 'trajectories.jsonl in this folder')
    .addHelpText('after', EXPLANATION)
    .action((inputs: string[], options: ImportFlags) => run(inputs, options, io));
  return withCommonOptions(
    command,
    'longrun traj import data/trajectory_samples.jsonl --output imported.jsonl',
  );
}

async function run(inputs: string[], options: ImportFlags, io: CliIo): Promise<void> {
  const { importLine } = await import('./run.js');
  await importLine(inputs, options, io);
}
