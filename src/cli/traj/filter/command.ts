import { Command, Option } from 'commander';
import { REWARD_ORDER_HELP } from '../../../core/reward/reward-order.js';
import { STOP_REASONS } from '../../../core/rollout/outcome.js';
import type { CliIo } from '../../cli-io.js';
import { withCommonOptions } from '../../common-options.js';
import { withInputs, withOutput } from '../traj-options.js';
import type { FilterFlags } from './run.js';

const EXPLANATION = `
Always applied:
  complete     rows that were cut short go, unless --goal failure-recovery
  calls        tools that exist, arguments as their schemas say, a result for each call; with --goal
               failure-recovery or --allow-refused-calls wrong calls may stay that were answered with an error
  compression  compressed rows have their task, their key turns and their end

Rows that go are kept apart: failed_trajectories.jsonl has those that were not completed, <output>.rejected.jsonl
all others, each with the filter and the reason. A row without a reward never passes a reward bound.

Exit codes:
  0  done   1  error   2  bad input   130  interrupted
`;

/** `longrun traj filter`. */
export function filterCommand(io: CliIo): Command {
  const goal = new Option('--goal <goal>', 'What the rows are for (default: training)');
  goal.argChoices = ['training', 'failure-recovery'];
  const stopReason = new Option('--stop-reason <reason...>', 'Rows that ended like this; may be repeated');
  stopReason.argChoices = [...STOP_REASONS];
  const command = withInputs(new Command('filter'))
    .description('Keeps the trajectories that are fit for training, and the others apart with their reasons.')
    .option('--min-reward <number>', 'Reward of at least this')
    .option('--max-reward <number>', 'Reward of at most this')
    .option('--min-turns <n>', 'At least so many answers of the model (default: 1)')
    .option('--max-turns <n>', 'At most so many')
    .option('--max-tokens <n>', 'At most so many tokens, by estimate')
    .option('--require-tool-calls', 'At least one tool call')
    .option('--require-reasoning', 'At least one turn with reasoning')
    .addOption(stopReason)
    .option('--dedupe', 'Of conversations that read the same, the first')
    .option('--sample <n>', 'So many of what is left, drawn at random')
    .option('--seed <n>', 'Of --sample: the same seed draws the same rows (default: 0)')
    .addOption(goal)
    .option('--allow-refused-calls', 'Wrong calls may stay where they were answered with an error')
    .option('--reward-order <sources>', REWARD_ORDER_HELP);
  withOutput(command, 'filtered.jsonl in this folder')
    .addHelpText('after', EXPLANATION)
    .action((inputs: string[], options: FilterFlags) => run(inputs, options, io));
  return withCommonOptions(
    command,
    'longrun traj filter scored/ --min-reward 0.7 --min-turns 3 --output filtered/',
  );
}

async function run(inputs: string[], options: FilterFlags, io: CliIo): Promise<void> {
  const { filterLine } = await import('./run.js');
  await filterLine(inputs, options, io);
}
