import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

/** `longrun runs cancel`. */
export function cancelCommand(io: CliIo): Command {
  const command = new Command('cancel')
    .description('End a run for good: what is in flight is stopped, what is finished is kept.')
    .argument('<run>', 'Id of the run')
    .action(async (runId: string, options: CommonOptions) => {
      const { steerRun } = await import('./steer.js');
      if (await cancelReplaysOf(runId, options, io)) return;
      await steerRun(runId, options, io, 'cancelled', (runs) => runs.cancel(runId));
    });
  return withCommonOptions(command, 'longrun runs cancel tblite-20260412-1503-k3f9');
}

/** Replays of a run that has ended are what there is to cancel of it. */
async function cancelReplaysOf(runId: string, options: CommonOptions, io: CliIo): Promise<boolean> {
  const { commandContext } = await import('../command-context.js');
  const { printJson } = await import('../print.js');
  const { openReplaysOfClosedRun } = await import('../../launch/replay/open-replay.js');
  const { json, stateDir, say } = await commandContext(options, io);
  const { replays } = await openReplaysOfClosedRun(stateDir, runId, io.env);
  if (replays.length === 0) return false;
  const { cancelReplays } = await import('../../launch/replay/replay-run.js');
  await cancelReplays({ stateDir, env: io.env }, runId);
  const ids = replays.map(({ replayId }) => replayId);
  if (json) printJson(io, { run_id: runId, replays: ids, status: 'cancelled' });
  else say(`Replays of run ${runId} are being cancelled: ${ids.join(', ')}.`);
  return true;
}
