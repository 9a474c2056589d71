import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

interface ListOptions extends CommonOptions {
  run?: string;
  state?: string;
}

/** `longrun queue list`. */
export function listCommand(io: CliIo): Command {
  const command = new Command('list')
    .description('Counts of the four queues, and what is in them; successes only with --state success.')
    .option('--run <id>', 'Only this run')
    .option('--state <queue>', 'Only this queue')
    .action((options: ListOptions) => list(options, io));
  return withCommonOptions(command, 'longrun queue list --state needs_human_review');
}

async function list(options: ListOptions, io: CliIo): Promise<void> {
  const { commandContext } = await import('../command-context.js');
  const { printJson, printLines } = await import('../print.js');
  const { queueStateFlag } = await import('./queue-state.js');
  const { openStore } = await import('../../store/index.js');
  const { countStates, queueRowSchema, readQueue } = await import('../../queue/read-queue.js');
  const { toWire } = await import('../../store/wire/wire.js');
  const { queueLines } = await import('./render.js');
  const { lookOf } = await import('../look.js');
  const state = queueStateFlag(options.state);
  const { json, stateDir } = await commandContext(options, io);
  const all = await readQueue(await openStore(stateDir, io.env), options.run ?? null);
  const rows = all.filter((row) => (state === null ? row.state !== 'success' : row.state === state));
  const counts = countStates(all);
  if (json) return printJson(io, { counts, rollouts: rows.map((row) => toWire(queueRowSchema, row)) });
  printLines(io, queueLines(counts, rows, lookOf(io)));
}
