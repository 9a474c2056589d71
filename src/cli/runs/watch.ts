import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

/** `longrun runs watch`. */
export function watchCommand(io: CliIo): Command {
  const command = new Command('watch')
    .description('The live view of a run that others work on; Ctrl-C only ends the watching.')
    .argument('<run>', 'Id of the run')
    .action((runId: string, options: CommonOptions) => watch(runId, options, io));
  return withCommonOptions(command, 'longrun runs watch tblite-20260412-1503-k3f9');
}

async function watch(runId: string, options: CommonOptions, io: CliIo): Promise<void> {
  const { commandContext } = await import('../command-context.js');
  const { watchOnly } = await import('../../launch/resume-run.js');
  const { RunReporter } = await import('../run-reporter.js');
  const context = await commandContext(options, io);
  const reporter = new RunReporter(context, { failUnder: null, output: null, runId });
  const { stateDir } = context;
  await reporter.attend((hooks) =>
    watchOnly({
      ...hooks,
      stateDir,
      env: io.env,
      runId,
      onReady: (run) => reporter.open(run),
    }),
  );
}
