import { Command } from 'commander';
import type { CliIo } from '../../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../../common-options.js';

/** `longrun runs cancel`. */
export function cancelCommand(io: CliIo): Command {
  const command = new Command('cancel')
    .description('End a run for good: what is in flight is stopped, what is finished is kept.')
    .argument('<run>', 'Id of the run')
    .action(async (runId: string, options: CommonOptions) => {
      const { steerRun } = await import('../../steer-run.js');
      await steerRun(runId, options, io, 'cancelled', (runs) => runs.cancel(runId));
    });
  return withCommonOptions(command, 'longrun runs cancel tblite-20260412-1503-k3f9');
}
