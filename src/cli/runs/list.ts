import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

/** `longrun runs list`. */
export function listCommand(io: CliIo): Command {
  const command = new Command('list')
    .description('Runs of the state folder, newest first.')
    .option('--limit <n>', 'Only the newest so many', '20')
    .action((options: CommonOptions & { limit: string }) => list(options, io));
  return withCommonOptions(command, 'longrun runs list --limit 5');
}

async function list(options: CommonOptions & { limit: string }, io: CliIo): Promise<void> {
  const { commandContext } = await import('../command-context.js');
  const { printJson, printLines } = await import('../print.js');
  const { listRunRows, runRowSchema } = await import('../../runs/status/run-rows.js');
  const { wholeNumber } = await import('../whole-number.js');
  const { toWire } = await import('../../store/wire/wire.js');
  const { renderRunRows } = await import('./render-rows.js');
  const { lookOf } = await import('../look.js');
  const limit = wholeNumber('--limit', options.limit);
  const { json, stateDir } = await commandContext(options, io);
  const rows = await listRunRows({ stateDir, env: io.env, limit });
  if (json) return printJson(io, { runs: rows.map((row) => toWire(runRowSchema, row)) });
  printLines(io, renderRunRows(rows, lookOf(io)));
}
