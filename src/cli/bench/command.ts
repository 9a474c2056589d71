import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { badInput } from '../../core/errors.js';
import { SANDBOXES } from '../../core/run/run-config.schema.js';
import type { CliIo } from '../cli-io.js';
import { addSettingOptions, flagValues } from '../setting-options.js';

const EXAMPLES = `
The folder gets one traj_<session_id>.jsonl for each rollout, in atropos-v1, and manifest_<run>.json. Rollouts of
fewer turns than trajectory.min_turn_count of the settings (2 unless told otherwise) are counted and left out.

Examples:
  Twelve tasks, five at once, their trajectories in a folder, and what they are worth by a judge:
    $ longrun bench run tblite --model my-model --tasks 12 --backend docker --concurrency 5 --output runs/tblite/
    $ longrun traj score --input runs/tblite/ --reward-model judge-model --output runs/scored/

Exit codes: 0 done, 1 error, 2 bad input, 3 below --fail-under, 130 interrupted.
`;

/** `longrun bench …`. */
export function benchCommand(io: CliIo): Command {
  return new Command('bench')
    .description('Run a benchmark and keep its trajectories in a folder.')
    .addCommand(runCommand(io))
    .addHelpText(
      'after',
      '\nExample:\n  $ longrun bench run tblite --model scripted/demo --output runs/tblite/\n',
    );
}

/** `longrun bench run`: `longrun evaluate` under another name, with an output of its own. */
function runCommand(io: CliIo): Command {
  const backend = new Option('--backend <driver>', 'The same as --sandbox').helpGroup('Trajectories:');
  backend.argChoices = [...SANDBOXES];
  const output = new Option(
    '--output <folder>',
    'Folder of the trajectories; by default that of the settings',
  );
  const command = new Command('run')
    .description(
      'Run a model on a benchmark, as longrun evaluate does, and keep its trajectories in a folder.',
    )
    .argument('<environment>', 'A built-in environment, a task folder or a folder of tasks')
    .addOption(output.helpGroup('Trajectories:'))
    .addOption(backend)
    .addHelpText('after', EXAMPLES)
    .action((environment: string, options: Record<string, unknown>) => run(environment, options, io));
  return addSettingOptions(command, ['output']);
}

async function run(environment: string, options: Record<string, unknown>, io: CliIo): Promise<void> {
  const { backend, output, ...others } = options as { backend?: string; output?: string };
  const flags = flagValues(others, environment);
  if (backend !== undefined && flags.sandbox !== undefined)
    throw badInput('--backend and --sandbox are the same setting.', 'Give one of them.');
  if (backend !== undefined && !(SANDBOXES as readonly string[]).includes(backend))
    throw badInput(`--backend: found "${backend}", accepted: ${SANDBOXES.join(', ')}.`);
  const { evaluateRun } = await import('../evaluate/run.js');
  await evaluateRun(
    {
      command: 'bench run',
      flags: backend === undefined ? flags : { ...flags, sandbox: backend },
      recordTo: output === undefined ? null : resolve(output),
    },
    io,
  );
}
