import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';
import { type ServeOptions, withServeOptions } from './options.js';

const EXIT_CODES = `
The first signal ends it in order: calls in the air are finished and recorded; with --drain-timeout the rollouts in
hand end first. The second one leaves now. Each flag is also a variable: --host-id is LONGRUN_HOST_ID.

Exit codes: 0 asked to stop, 1 failed, 2 bad input, 130 left at once.
`;
const EXAMPLE = `longrun worker
  $ TEMPORAL_ADDRESS=temporal:7233 longrun worker --role host --host-id big-box --capacity docker=16
  $ longrun worker --processes 4 --drain-timeout 10m --health-port 8080`;

/** `longrun worker`. */
export function workerCommand(io: CliIo): Command {
  const command = new Command('worker')
    .description(
      'A worker until Ctrl-C (or SIGTERM), for the server that TEMPORAL_ADDRESS names, or the one of the state folder.',
    )
    .addHelpText('after', EXIT_CODES)
    .action(async (options: CommonOptions & ServeOptions) => {
      const { serve } = await import('./run.js');
      await serve(options, io);
    });
  return withCommonOptions(withServeOptions(command), EXAMPLE);
}
