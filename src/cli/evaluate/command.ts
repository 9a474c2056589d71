import { Command } from 'commander';
import type { FlagValues } from '../../config/merge-settings.js';
import type { CliIo } from '../cli-io.js';
import { addSettingOptions, flagValues } from '../setting-options.js';

const EXAMPLES = `
Examples:
  A look without an API key:
    $ longrun evaluate tblite --model scripted/demo --samples 3
  A model behind any OpenAI-compatible endpoint:
    $ longrun evaluate ./my-tasks --model my-model --base-url http://localhost:8000/v1 --samples 5
  Check that tasks can be solved, by running their own solutions:
    $ longrun evaluate ./my-tasks --agent oracle
  In CI: fail below a pass rate, results as JSON:
    $ longrun evaluate tblite --model my-model --fail-under 0.6 --json > results.json

Exit codes: 0 done, 1 error, 2 bad input, 3 below --fail-under, 130 interrupted.
`;

/** `longrun evaluate`. */
export function evaluateCommand(io: CliIo): Command {
  const command = new Command('evaluate')
    .description('Run a model on a benchmark and report how good it is.')
    .argument('[environment]', 'A built-in environment, a task folder or a folder of tasks')
    .addHelpText('after', EXAMPLES)
    .action((environment: string | undefined, options: Record<string, unknown>) =>
      evaluate(flagValues(options, environment), io),
    );
  return addSettingOptions(command);
}

async function evaluate(flags: FlagValues, io: CliIo): Promise<void> {
  const { evaluateRun } = await import('./run.js');
  await evaluateRun({ command: 'evaluate', flags, recordTo: null }, io);
}
