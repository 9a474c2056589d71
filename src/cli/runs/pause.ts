import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

/** `longrun runs pause`. */
export function pauseCommand(io: CliIo): Command {
  const command = new Command('pause')
    .description('Start no new rollouts; those in flight go on to their end.')
    .argument('<run>', 'Id of the run')
    .action(async (runId: string, options: CommonOptions) => {
      const { steerRun } = await import('./steer.js');
      await steerRun(runId, options, io, 'paused', (runs) => runs.pause(runId));
    });
  return withCommonOptions(command, 'longrun runs pause tblite-20260412-1503-k3f9');
}
