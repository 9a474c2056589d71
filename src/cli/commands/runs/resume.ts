import { Command } from 'commander';
import type { CliIo } from '../../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../../common-options.js';

/** `longrun runs resume`. */
export function resumeCommand(io: CliIo): Command {
  const command = new Command('resume')
    .description(
      'Carry on a run that was paused or whose process is gone; works on it where nobody else does.',
    )
    .argument('<run>', 'Id of the run')
    .option('--detach', 'Only resume it, and leave it to a worker that is already running')
    .action((runId: string, options: CommonOptions & { detach?: boolean }) => resume(runId, options, io));
  return withCommonOptions(command, 'longrun runs resume tblite-20260412-1503-k3f9');
}

async function resume(
  runId: string,
  options: CommonOptions & { detach?: boolean },
  io: CliIo,
): Promise<void> {
  const { commandContext } = await import('../../command-context.js');
  const { resumeRun } = await import('../../../launch/resume-run.js');
  const { RunReporter } = await import('../../run-reporter.js');
  const context = await commandContext(options, io);
  const reporter = new RunReporter(context, { failUnder: null, output: null, runId });
  const { stateDir } = context;
  const detach = options.detach === true;
  await reporter.attend((hooks) =>
    resumeRun({
      ...hooks,
      stateDir,
      env: io.env,
      runId,
      detach,
      onReady: (run) => {
        if (!detach) reporter.open(run);
      },
    }),
  );
}
