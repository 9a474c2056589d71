import { Command, Option } from 'commander';
import { processSettingTable } from '../../config/setting-table.js';
import type { CliIo } from '../cli-io.js';
import { addSettingOptions, flagsOf } from '../setting-options.js';
import type { ProcessFlags } from './options.js';

const EXAMPLES = `
The folder gets, as groups close: groups.jsonl (every group, the invalid ones and those of zero variance flagged),
<format>.jsonl for each format, rejected.jsonl (what became no row, and why), and ledger.jsonl, by which a killed
command goes on without a lost, doubled or half-written row. statistics.json and manifest.json stand beside them.

In sharegpt and messages, rollouts that call tools that were not offered, and those without reasoning in any turn,
are left out; --filter applies to every format of single rollouts. Trainers (atropos-group, tinker) get whole groups,
without invalid ones and those of zero variance.

A list of prompts has no tests: nothing is scored, --group-size is 1 unless told otherwise, and the rows of sharegpt
go to batch_NNN_output.jsonl and, merged, to trajectory_samples.jsonl, with the columns of hermes-agent's batches.

Filters: min-reward=, max-reward=, min-turns=, max-turns=, max-tokens=, stop-reason=, require-tool-calls,
require-reasoning.

Examples:
  A look without an API key:
    $ longrun process tblite --model scripted/demo --tasks 4 --group-size 4 --keep-no-reasoning --output data/
  Sixty-four groups for a trainer, and rows to fine-tune on, of what was solved:
    $ longrun process ./my-tasks --model my-model --base-url http://localhost:8000/v1 --groups 64 \\
        --format tinker,sharegpt --filter min-reward=0.5 --output data/
  A list of prompts, a JSON object a line: {"prompt":"…"}, if need be with "image" and "cwd":
    $ longrun process --prompts prompts.jsonl --model my-model --output data/
  A run that was killed goes on:
    $ longrun process ./my-tasks --model my-model … --output data/ --run-id my-tasks-20260412-1503-k3f9

Exit codes: 0 done, 1 error, 2 bad input, 130 interrupted.
`;

const HEADING = 'Training data:';

/** `longrun process`. */
export function processCommand(io: CliIo): Command {
  const command = new Command('process')
    .description('Run groups of rollouts, estimate advantages, and write training data as groups close.')
    .argument('[environment]', 'A built-in environment, a task folder or a folder of tasks')
    .addHelpText('after', EXAMPLES)
    .action((environment: string | undefined, options: ProcessFlags) => run(environment, options, io));
  for (const option of outputOptions()) command.addOption(option.helpGroup(HEADING));
  return addSettingOptions(command, ['output'], processSettingTable());
}

function outputOptions(): Option[] {
  return [
    new Option('--output <folder>', 'Folder for it; by default one named by the run, in this folder'),
    new Option('--format <names>', 'Formats, separated by commas (default: sharegpt)').argParser(words),
    new Option('--filter <rule>', 'Only rollouts that meet it become rows; may be repeated').argParser(
      collect,
    ),
    new Option('--keep-no-reasoning', 'sharegpt, messages: keep rollouts without reasoning in any turn'),
    new Option('--keep-zero-variance', 'Groups in which all rewards are equal go to trainers too'),
    new Option(
      '--batch-groups <n>',
      'For estimators that normalise over several groups: how many at once (default: 8)',
    ),
    new Option('--prompts <file>', 'A list of prompts (.jsonl) instead of an environment: nothing is scored'),
    new Option('--batch-size <n>', 'With --prompts: rows in a batch_NNN_output.jsonl (default: 10)'),
    new Option('--force', 'Replace what the folder has, whatever it is of'),
  ];
}

const collect = (value: string, previous: string[] | undefined): string[] => [...(previous ?? []), value];
const words = (value: string, previous: string[] | undefined): string[] => [
  ...(previous ?? []),
  ...value.split(',').map((word) => word.trim()),
];

async function run(environment: string | undefined, options: ProcessFlags, io: CliIo): Promise<void> {
  const { processRun } = await import('./run.js');
  const { sourceOf } = await import('./options.js');
  const flags = flagsOf(
    processSettingTable(),
    { ...options, output: undefined },
    sourceOf(options, environment),
  );
  await processRun(flags, options, io);
}
