import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

/** `longrun queue show`. */
export function showCommand(io: CliIo): Command {
  const command = new Command('show')
    .description('Why a rollout is in its queue, where the evidence is, and what can be done.')
    .argument('<rollout>', 'Id of the rollout: run/task/sample')
    .action((id: string, options: CommonOptions) => show(id, options, io));
  return withCommonOptions(command, 'longrun queue show tblite-20260412-1503-k3f9/csv-statistics/0');
}

async function show(id: string, options: CommonOptions, io: CliIo): Promise<void> {
  const { commandContext } = await import('../command-context.js');
  const { printJson, printLines } = await import('../print.js');
  const { loadQueueEntry, queueEntrySchema } = await import('../../queue/load-entry.js');
  const { toWire } = await import('../../store/wire/wire.js');
  const { queueEntryLines } = await import('./render.js');
  const { lookOf } = await import('../look.js');
  const { json, stateDir } = await commandContext(options, io);
  const entry = await loadQueueEntry(stateDir, id, io.env);
  if (json) return printJson(io, toWire(queueEntrySchema, entry));
  printLines(io, queueEntryLines(entry, lookOf(io)));
}
