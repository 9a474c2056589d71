import { Command } from 'commander';
import type { FlagValues } from '../../config/merge-settings.js';
import { badInput } from '../../core/errors.js';
import type { Plan, RunRecord } from '../../store/records.schema.js';
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
  const { settingsContext } = await import('../command-context.js');
  const { launchRun } = await import('../../launch/launch-run.js');
  const { packageVersion } = await import('../package-version.js');
  const { RunReporter } = await import('../run-reporter.js');
  const { carryOnCommand } = await import('../carry-on.js');
  const { settings, ...context } = await settingsContext(flags, io);
  if (settings.detach) refuseUnattended(flags);
  const { failUnder, output, runId } = settings;
  const judged = failUnder !== null || output !== null;
  if (settings.detach && judged) context.say('Under --detach the settings output and fail_under do nothing.');
  const reporter = new RunReporter(context, {
    failUnder,
    output,
    runId,
    ...(judged ? { carryOn: (id) => carryOnCommand(flags, id) } : {}),
  });
  await reporter.attend((hooks) =>
    launchRun({
      ...hooks,
      settings,
      stateDir: context.stateDir,
      env: io.env,
      longrunVersion: packageVersion(),
      onReady: ({ run, plan, created }) => {
        if (!created) context.say(`Run ${run.runId} is there already: carrying it on.`);
        else if (!settings.detach) context.say(announcement(run, plan));
        if (!settings.detach) reporter.open(run);
      },
    }),
  );
}

/** What is done with the results is done by the command that awaits them. */
function refuseUnattended(flags: FlagValues): void {
  const given = [
    flags.output === undefined ? [] : '--output',
    flags.failUnder === undefined ? [] : '--fail-under',
  ];
  const names = given.flat().join(' and ');
  if (names === '') return;
  throw badInput(
    `${names} would do nothing under --detach: the command ends before there are results.`,
    `Leave out --detach, or give ${names} when you run the command again with the same --run-id.`,
  );
}

function announcement({ runId, config }: RunRecord, plan: Plan): string {
  const tasks = plan.tasks.length === 1 ? '1 task' : `${plan.tasks.length} tasks`;
  const samples = config.samples === 1 ? '' : ` × ${config.samples} samples`;
  return `Run ${runId}: ${tasks}${samples}, ${config.sandbox} sandboxes, at most ${config.concurrency} at once.`;
}
