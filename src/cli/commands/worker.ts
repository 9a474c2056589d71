import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';
import { type ServeOptions, withServeOptions } from '../serve-options.js';

/** `longrun worker`. */
export function workerCommand(io: CliIo): Command {
  const command = new Command('worker')
    .description(
      'A worker until Ctrl-C, for the server that TEMPORAL_ADDRESS names, or the one of the state folder.',
    )
    .action(async (options: CommonOptions & ServeOptions) => {
      const { serve } = await import('../serve.js');
      await serve(options, io);
    });
  return withCommonOptions(withServeOptions(command), 'TEMPORAL_ADDRESS=temporal:7233 longrun worker');
}
