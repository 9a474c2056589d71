import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import type { CommandContext } from '../command-context.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

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
  const { commandContext } = await import('../command-context.js');
  const { resumeRun } = await import('../../launch/resume-run.js');
  const { RunReporter } = await import('../run-reporter.js');
  const context = await commandContext(options, io);
  if (await resumeReplays(context, runId)) return;
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
        if (run.mode === 'process')
          context.say(
            `To have its training data written, run its longrun process command again with --run-id ${runId}.`,
          );
        if (!detach) reporter.open(run);
      },
    }),
  );
}

/** Of a run that is over its open replays are carried on, and then the run is shown; false when there are none. */
async function resumeReplays(context: CommandContext, runId: string): Promise<boolean> {
  const { openReplaysOfClosedRun } = await import('../../launch/replay/open-replay.js');
  const { run, replays } = await openReplaysOfClosedRun(context.stateDir, runId, context.io.env);
  if (replays.length === 0) return false;
  const { followToEnd } = await import('../replay/attend-replay.js');
  for (const replay of replays) {
    context.say(`Carrying on replay ${replay.replayId}.`);
    if ((await followToEnd(context, run, replay)) === null) return true;
  }
  const { printRun } = await import('./show.js');
  await printRun(context, runId);
  return true;
}
