import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';
import { type ServeOptions, UP_SETTINGS, withServeOptions } from './options.js';

/** `longrun up`. */
export function upCommand(io: CliIo): Command {
  const command = new Command('up')
    .description('Temporal server and worker in the foreground until Ctrl-C; detached runs live from it.')
    .action(async (options: CommonOptions & ServeOptions) => {
      const { serve } = await import('./run.js');
      await serve(options, io);
    });
  return withCommonOptions(withServeOptions(command, UP_SETTINGS), 'longrun up');
}
