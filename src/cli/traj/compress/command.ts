import { Command } from 'commander';
import type { CliIo } from '../../cli-io.js';
import { withCommonOptions } from '../../common-options.js';
import { withInputs, withOutput } from '../traj-options.js';
import type { CompressFlags } from './run.js';

const EXPLANATION = `
What stays word for word: system prompt, task and later instructions, writes that worked, the last test run, errors
that were fixed with what fixed them, the last turn. A call is never parted from its result. One summary stands for
the rest. A row that is still too long is marked still_over_limit; one whose summary failed is left as it was.
Rewards and metadata are carried over, token ids are not: training exports refuse compressed rows.

Summaries of a model are kept in <output>.ledger.jsonl as they come: run again after an interruption, and none of
them is paid for twice. The input is never changed.

Exit codes:
  0  done   1  no row that was too long could be made shorter   2  bad input   130  interrupted
`;

/** `longrun traj compress`. */
export function compressCommand(io: CliIo): Command {
  const command = withInputs(new Command('compress'))
    .description('Makes long trajectories fit a number of tokens: one summary in the place of the middle.')
    .requiredOption('--target-tokens <n>', 'The most tokens that a row may have')
    .option('--summary-tokens <n>', 'The most that its summary may have (default: 750)')
    .option('--model <id>', 'Model that writes the summaries; without one they are extracts')
    .option('--base-url <url>', 'Endpoint of the model, up to and including /v1')
    .option('--api-key-env <name>', 'Variable with its key, or none (default: OPENAI_API_KEY)')
    .option('--tokenizer <folder>', 'Counts with the tokenizer of a model; without it tokens are estimated')
    .option('--concurrency <n>', 'Summaries at once (default: 8)')
    .option('--keep-originals', 'Also writes the rows that were compressed as they were, beside the output');
  withOutput(command, 'compressed.jsonl in this folder')
    .addHelpText('after', EXPLANATION)
    .action((inputs: string[], options: CompressFlags) => run(inputs, options, io));
  return withCommonOptions(
    command,
    'longrun traj compress filtered/ --target-tokens 15000 --model gpt-5-mini --output short.jsonl',
  );
}

async function run(inputs: string[], options: CompressFlags, io: CliIo): Promise<void> {
  const { compressLine } = await import('./run.js');
  await compressLine(inputs, options, io);
}
