import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

interface ValidateOptions extends CommonOptions {
  oracle?: boolean;
  static?: boolean;
  sandbox?: string;
  passEnv?: string[];
}

/** `longrun tasks validate`. */
export function validateCommand(io: CliIo): Command {
  const command = new Command('validate')
    .description('Check tasks: files, settings, images; with --oracle that their solutions pass their tests.')
    .argument('<tasks>', 'A built-in environment, a task folder or a folder of tasks')
    .option('--oracle', 'Also run each solution in a sandbox and require the full reward')
    .option('--static', 'Only read files: build and start no images')
    .option(
      '--sandbox <driver>',
      'Driver for images and --oracle: auto, docker, bubblewrap, or memory (an interpreted shell for tests of the machinery; the built-in tasks need docker or bubblewrap)',
      'auto',
    )
    .option(
      '--pass-env <name>',
      'With --oracle: environment variable that tasks may ask for; may be given several times',
      (name: string, before: string[] = []) => [...before, name],
    )
    .action((tasks: string, options: ValidateOptions) => validate(tasks, options, io));
  return withCommonOptions(command, 'longrun tasks validate ./my-tasks --oracle');
}

async function validate(named: string, options: ValidateOptions, io: CliIo): Promise<void> {
  const { settingsContext } = await import('../command-context.js');
  const { printJson, printLines } = await import('../print.js');
  const { checkTasks } = await import('../../launch/check-tasks.js');
  const { renderReports, reportDocument } = await import('./render-validation.js');
  const { lookOf } = await import('../look.js');
  const { EXIT } = await import('../cli-io.js');
  const { RunReporter } = await import('../run-reporter.js');
  const { packageVersion } = await import('../package-version.js');
  const { json, stateDir, store, logLevel, sandbox, passEnv } = options;
  const given = Object.entries({ json, stateDir, store, logLevel, sandbox, passEnv }).filter(
    ([, value]) => value !== undefined,
  );
  const flags = { ...Object.fromEntries(given), environment: named, agent: 'oracle' };
  const { settings, ...context } = await settingsContext(flags, io);
  const reporter = new RunReporter(context, { failUnder: null, output: null, runId: null });
  await reporter.attend(async (hooks) => {
    const reports = await checkTasks({
      ...hooks,
      named,
      settings,
      stateDir: context.stateDir,
      env: io.env,
      longrunVersion: packageVersion(),
      images: options.static !== true,
      oracle: options.oracle === true,
      onReady: ({ run }) => {
        context.say(`The solutions run as ${run.runId}: longrun runs show ${run.runId}`);
        reporter.open(run);
      },
    });
    reporter.close();
    if (context.json) printJson(io, reportDocument(reports));
    else printLines(io, renderReports(reports, lookOf(io).style));
    if (reports.some(({ problems }) => problems.length > 0)) io.exitCode = EXIT.usage;
  });
}
