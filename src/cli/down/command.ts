import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

/** `longrun down`. */
export function downCommand(io: CliIo): Command {
  const command = new Command('down')
    .description('Stop the worker and the Temporal server of the state folder. Runs stay on disk.')
    .action((options: CommonOptions) => down(options, io));
  return withCommonOptions(command, 'longrun down');
}

async function down(options: CommonOptions, io: CliIo): Promise<void> {
  const { commandContext } = await import('../command-context.js');
  const { printJson, printLines } = await import('../print.js');
  const { takeDown } = await import('../../hosts/stop-host.js');
  const { json, stateDir, say } = await commandContext(options, io);
  const stopped = await takeDown(stateDir, say);
  if (json) return printJson(io, { worker_stopped: stopped.worker, server_stopped: stopped.server });
  const parts = [stopped.worker ? 'the worker' : null, stopped.server ? 'the Temporal server' : null];
  const named = parts.filter((part) => part !== null).join(' and ');
  printLines(io, [named === '' ? `Nothing is running for ${stateDir}.` : `Stopped ${named}.`]);
}
