import { Command, Option } from 'commander';
import { REWARD_ORDER_HELP } from '../../../core/reward/reward-order.js';
import { EXPORT_FORMATS } from '../../../formats/export-format.js';
import type { CliIo } from '../../cli-io.js';
import { withCommonOptions } from '../../common-options.js';
import { withInputs, withOutput } from '../traj-options.js';
import type { ExportFlags } from './plan.js';

const EXPLANATION = `
Formats:
  longrun        one rollout a line with all that is known of it; what the traj commands pass on to each other
  sharegpt       conversations for SFT: completed rollouts in the output, others in failed_trajectories.jsonl
  messages       OpenAI chat messages with tools, for SFT
  atropos-v1     one turn a line; a file per rollout where --output is a folder
  atropos-group  groups as Atropos takes them: tokens, masks, scores
  tinker         one datum a line, and the trajectories in <output>.traj.jsonl
  atif           one ATIF document per rollout, in a folder
  parquet        the rows of another format (--rows, sharegpt by default); so does an --output that ends in .parquet

Lines that cannot be read go to <output>.rejected.jsonl with file, line and reason.

Exit codes:
  0  done   1  error, or nothing of the input could be written   2  bad input   130  interrupted
`;

/** `longrun traj export`. */
export function exportCommand(io: CliIo): Command {
  const format = new Option('--format <name>', 'What to write').makeOptionMandatory();
  format.argChoices = [...EXPORT_FORMATS, 'parquet'];
  const rows = new Option('--rows <name>', 'parquet: the format of its rows (default: sharegpt)');
  rows.argChoices = EXPORT_FORMATS.filter((name) => name !== 'atif');
  const variant = new Option(
    '--variant <name>',
    'sharegpt: cli, or batch with statistics of tools in one file (default: batch for runs of process, else cli)',
  );
  variant.argChoices = ['cli', 'batch'];
  const command = withInputs(new Command('export'))
    .description('Writes trajectories in an exchange format.')
    .addOption(format)
    .addOption(rows)
    .option('--reward-order <sources>', REWARD_ORDER_HELP)
    .addOption(variant)
    .option('--plain', 'sharegpt: only the columns of its documentation, no reward')
    .option('--keep-zero-variance', 'atropos-group, tinker: also groups whose rewards are all the same')
    .option('--without-logprobs', 'atropos-group, tinker: also rollouts without log-probabilities')
    .option(
      '--tokenize <folder>',
      'atropos-group, tinker: make ids that nobody recorded, with this tokenizer',
    );
  withOutput(command, 'a file (or folder) of the usual name here')
    .addHelpText('after', EXPLANATION)
    .action((inputs: string[], options: ExportFlags) => run(inputs, options, io));
  return withCommonOptions(
    command,
    'longrun traj export tblite-20260412-1503-k3f9 --format sharegpt --output data/',
  );
}

async function run(inputs: string[], options: ExportFlags, io: CliIo): Promise<void> {
  const { exportLine } = await import('./run.js');
  await exportLine(inputs, options, io);
}
